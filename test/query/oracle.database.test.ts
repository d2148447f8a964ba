import { beforeAll, describe, expect, test } from "vitest";
import { createQueryEngine, type QueryAnswer, type QueryEngine } from "../../src/query/engine.js";
import type { Database } from "../../src/store/database/database.js";
import type { Layout } from "../../src/store/tables/layout.js";
import { describeDatabases, world } from "../support/database/databases.js";
import { postgresMissing } from "../support/database/postgres-server.js";
import { fillMusic, musicDeployment } from "./music.js";
import { checkAnswer, isRight, type OracleCase, randomCases, writtenCases } from "./oracle.js";

describeDatabases("answers are graph-node's", ({ fresh, provider }) => {
  let database: Database;
  let layout: Layout;
  const engines = new Map<number | undefined, QueryEngine>();

  beforeAll(async () => {
    database = await fresh();
    layout = await fillMusic(database);
  });

  const ask = ({ query, variables, state }: OracleCase): Promise<QueryAnswer> => {
    const { firstErrorBlock } = state ?? {};
    const deployment = musicDeployment(layout, firstErrorBlock);
    const engine = engines.get(firstErrorBlock) ?? createQueryEngine({ database, deployment, world });
    engines.set(firstErrorBlock, engine);
    return engine.execute({ query, ...(variables && { variables }) });
  };

  describe("to queries written by hand", () => {
    test.each(writtenCases)("answers a handwritten query as graph-node does: $name", async (one) =>
      checkAnswer(await ask(one), one));
  });

  // oracle-over-http asks all random queries on PostgreSQL over HTTP. PGlite is slower, and is asked each fourth one.
  if (provider === "postgres") return;
  const some =
    postgresMissing === undefined ? randomCases.filter((_, index) => index % 4 === 0) : randomCases;
  test(`the engine answers ${some.length} random queries as graph-node does`, async () => {
    const engine = createQueryEngine({ database, deployment: musicDeployment(layout), world });
    const wrong: unknown[] = [];
    for (const one of some) {
      const answer = await engine.execute({ query: one.query });
      if (!isRight(answer, one)) wrong.push({ ...one, answer });
    }
    expect(wrong).toEqual([]);
  }, 600_000);
});
