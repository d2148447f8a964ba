import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SqlEngine } from "../../../../src/pipelines/sql/engine.js";
import { onEither } from "../../../support/database/databases.js";
import { openEngine } from "../../../support/pipelines/law-pipeline.js";
import { comparable } from "./compare.js";
import { inOtherWords, likeDuckDb, likePostgres, unlikePostgres } from "./equal.js";
import { duckDbJudge, type Judge, postgresJudge } from "./judges.js";
import { refused } from "./refused.js";
import { allTransfers, type Outcome, runStatement, sharedEngine } from "./run-statement.js";

const databases = onEither();
let judges: Readonly<Record<"duckdb" | "postgres", Judge>>;
let open: () => Promise<SqlEngine>;
const closing: (() => void)[] = [];

beforeAll(async () => {
  const rows = allTransfers();
  const duckdb = await duckDbJudge(rows);
  const shared = await sharedEngine();
  judges = { duckdb: duckdb.judge, postgres: await postgresJudge(await databases.bare(), rows) };
  open = shared.open;
  closing.push(duckdb.close, shared.close);
});
afterAll(() => {
  for (const close of closing) close();
});

let count = 0;

/** What our pipeline makes of a statement. A list that it joins belongs to an engine of its own. */
function outcomeOf(sql: string): Promise<Outcome> {
  count += 1;
  return runStatement(sql, `made_${count}`, /\bVALUES\b/.test(sql) ? openEngine : open);
}

async function rowsOf(sql: string): Promise<Extract<Outcome, { kind: "rows" }>> {
  const outcome = await outcomeOf(sql);
  if (outcome.kind === "refused") throw new Error(`${outcome.message} (${outcome.hint})`);
  return outcome;
}

/** Compares the rows in the sink with those that a judge makes of the whole table. */
async function expectEqual(sql: string, judge: keyof typeof judges, judged = sql): Promise<void> {
  const { columns, rows } = await rowsOf(sql);
  const expected = await judges[judge](judged, columns);
  expect(comparable(columns, rows)).toEqual(comparable(columns, expected));
}

describe("a statement, block by block and through a reorganisation", () => {
  it.each(likePostgres)("gives what PostgreSQL makes of the whole table: %s", (sql) =>
    expectEqual(sql, "postgres"));

  it.each(likeDuckDb)("gives what DuckDB makes of the whole table: %s", (sql) => expectEqual(sql, "duckdb"));

  it.each(inOtherWords)("gives what PostgreSQL makes of the whole table in other words: %s", (sql, judged) =>
    expectEqual(sql, "postgres", judged));

  it.each(
    unlikePostgres,
  )("gives what DuckDB makes of the whole table, as the manual says: %s", async (sql, word) => {
    await expectEqual(sql, "duckdb");
    await expect(expectEqual(sql, "postgres")).rejects.toThrow();
    const manual = readFileSync("docs/pipeline-transforms.md", "utf8");
    expect(/\nDuckDB differs from PostgreSQL .*/.exec(manual)?.[0]).toContain(word);
  });
});

describe.each(refused)("a statement that is refused with the advice: $hint", ({ hint, statements }) => {
  it.each(statements)("%s", async (sql) => {
    expect(await outcomeOf(sql)).toMatchObject({ kind: "refused", hint: expect.stringContaining(hint) });
  });
});
