import { beforeAll, expect, it } from "vitest";
import { openClickHouse } from "../../src/node/clickhouse/open-clickhouse.js";
import { openMysqlDatabase } from "../../src/node/mysql/open-mysql.js";
import { guardPipeline } from "../../src/pipelines/guard-pipeline.js";
import type { PipelineStart } from "../../src/pipelines/messages.js";
import { openForeignDatabase } from "../../src/store/open.js";
import { world } from "../support/database/databases.js";

beforeAll(() => {
  const start: Partial<PipelineStart> = {
    mode: "run",
    definition: { text: "", variables: {} },
    reach: { allowsPrivate: false, listed: [] },
    database: { kind: "postgres", address: "postgres://u:p@[::1]:1/own" },
  };
  guardPipeline(start as PipelineStart);
});

const forbidden = /forbidden: .* is a private address/;

it.each([
  ["PostgreSQL", () => openForeignDatabase("postgres://u:p@localhost:1/db", world)],
  ["MySQL", () => openMysqlDatabase("mysql://u:p@localhost:1/db")],
  [
    "ClickHouse",
    async () => {
      const server = await openClickHouse({
        ...{ url: "http://localhost:1", username: "u", password: "p", database: "d" },
      });
      return server.query("select 1");
    },
  ],
])("clients of %s connect to no private address, although nothing else has judged it", async (_, open) => {
  await expect(open().catch((error: unknown) => messagesOf(error))).resolves.toMatch(forbidden);
});

it("the server's own database is reached", async () => {
  await expect(openForeignDatabase("postgres://u:p@[::1]:1/own", world)).rejects.not.toThrow(forbidden);
});

/** What an error and its causes say. */
function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  return [error.message, ...inner.map(messagesOf)].join("; ");
}
