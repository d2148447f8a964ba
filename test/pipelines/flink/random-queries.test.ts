import { afterAll, beforeAll, expect, it } from "vitest";
import { PrintFault } from "../../../src/pipelines/flink/print/print-fault.js";
import { printQuery } from "../../../src/pipelines/flink/print/print-query.js";
import type { SqlEngine } from "../../../src/pipelines/sql/engine.js";
import { openEngine } from "../../support/pipelines/law-pipeline.js";
import { feedColumns } from "../../support/pipelines/played-feed.js";
import { playedColumns } from "../../support/pipelines/played-source.js";
import { inDuckDb, meaning } from "../../support/pipelines/printed-back.js";
import { randomOf } from "../../support/pipelines/random.js";
import { randomQuery } from "../../support/pipelines/random-queries.js";

const tables = new Map(
  Object.entries({ played: playedColumns, things: feedColumns }).map(([name, columns]) => [
    name,
    { name, columns },
  ]),
);
const count = 400;

let engine: SqlEngine;
beforeAll(async () => {
  engine = await openEngine();
});
afterAll(() => engine.close());

async function treeOf(sql: string): Promise<unknown> {
  const parsed = await engine.parse(sql);
  if (parsed.kind === "fault") throw new Error(`${parsed.message}: ${sql}`);
  return parsed.tree;
}

it("a random query is refused with its place, or printed with all of its names, literals and clauses", async () => {
  const outcomes = { printed: 0, refused: 0 };
  for (let seed = 1; seed <= count; seed += 1) {
    const chance = randomOf(seed);
    const sql = randomQuery((below) => Math.floor(chance() * below));
    const tree = await treeOf(sql);
    let printed: string;
    try {
      printed = printQuery(tree, tables, "decimal", []);
    } catch (error) {
      if (!(error instanceof PrintFault)) throw error;
      expect(error.offset, `${error.message}: ${sql}`).toBeGreaterThanOrEqual(0);
      expect(error.offset, sql).toBeLessThan(Buffer.byteLength(sql));
      outcomes.refused += 1;
      continue;
    }
    expect(meaning(await treeOf(inDuckDb(printed))), `${sql}\n${printed}`).toEqual(meaning(tree));
    outcomes.printed += 1;
  }
  // Neither of them becomes a rare case.
  expect(outcomes.printed).toBeGreaterThan(count / 5);
  expect(outcomes.refused).toBeGreaterThan(count / 5);
});
