import { expect, it } from "vitest";
import { listActs } from "../../../src/platform/people/audit.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { readActs } from "../../../src/platform/people/read-acts.js";
import {
  type Database,
  DatabaseError,
  type Row,
  SQL,
  type TransactionOptions,
} from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { onEither } from "../../support/database/databases.js";

const databases = onEither();

it("the audit log finds the actions of a period without reading the others", async () => {
  const database = await databases.fresh();
  await migrate(database);
  await createProject(database, { id: "project_1", name: "First" });
  await database.query(
    SQL`insert into graphloom.audit (project, at, actor, actor_name, action, subject)
      select 'project_1', to_timestamp(1700000000 + 60 * i), 'key_1', 'Ann', 'secret.reveal', 'S' || i
      from generate_series(1, 20000) i`,
  );
  await database.query(SQL`analyze graphloom.audit`);
  let plan: readonly Row[] = [];
  const explained: Pick<Database, "query" | "run"> = {
    run: (script) => database.run(script),
    query: async (statement, parameters, options) => {
      plan = await database.query(SQL`explain ${statement}`, parameters, options);
      return database.query(statement, parameters, options);
    },
  };
  const hour = { from: 1_700_060_000_000, to: 1_700_063_600_000 };
  const found = await listActs(explained, "project_1", { limit: 100 }, hour);
  expect(found.map(({ subject }) => subject).slice(0, 2)).toEqual(["S1059", "S1058"]);
  expect(found).toHaveLength(60);
  expect(JSON.stringify(plan)).toContain("audit_project_at_idx");
});

/** A database that a test answers for. */
function played(answer: () => Promise<readonly Row[]>) {
  const asked: (TransactionOptions | undefined)[] = [];
  const transaction = async (_: unknown, options?: TransactionOptions) => {
    asked.push(options);
    return answer();
  };
  return { asked, database: { provider: "postgres", transaction } as unknown as Database };
}

const { signal: gone } = new AbortController();

it("the audit log ends a slow search, and says what to do", async () => {
  const { asked, database } = played(async () => {
    throw new DatabaseError("canceling statement", { code: "57014" });
  });
  await expect(
    readActs(database, { project: "project_1", gone }, { limit: 100 }, { by: "ann" }),
  ).rejects.toMatchObject({
    type: "unprocessable",
    message: "Searching the audit log takes more than 5 s. Choose a shorter period.",
  });
  expect(asked).toEqual([{ snapshot: true, statementTimeout: 5_000, signal: gone }]);
});

it("the audit log runs few searches of a project at once", async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { asked, database } = played(async () => {
    await held;
    return [];
  });
  const read = (project: string) => readActs(database, { project, gone }, { limit: 100 });
  const first = Array.from({ length: 12 }, () => read("project_1"));
  const other = read("project_2");
  await expect(read("project_1")).rejects.toMatchObject({ type: "unavailable", retryAfter: 1 });
  expect(asked).toHaveLength(3);
  release();
  expect(await Promise.all([...first, other])).toHaveLength(13);
});
