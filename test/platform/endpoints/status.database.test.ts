import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changeVersion } from "../../../src/platform/catalog/versions.js";
import type { Database } from "../../../src/platform/database/database.js";
import { migrate } from "../../../src/platform/database/migrate.js";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import type { HostedStatus } from "../../../src/platform/hosting/engine.js";
import { createApp } from "../../../src/platform/http/app.js";
import { describeDatabases } from "../../support/databases.js";
import { createQueryHosting, type QueryHosting, queryPlatform } from "../../support/query-hosting.js";
import { addEntry, setHead } from "./add-entry.js";

/** A query and what graph-node's index node answered to it. */
interface StatusCase {
  readonly name: string;
  readonly query: string;
  readonly expectedData?: unknown;
  readonly expectedErrorPattern?: string;
}

const cases = readFileSync(new URL("status-cases.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line): StatusCase => JSON.parse(line));

describeDatabases("How deployments do", (databases) => {
  let app: FastifyInstance;
  let database: Database;
  let hosting: QueryHosting;
  const healthy: HostedStatus = {
    ...{ health: "healthy", isSynced: true, nonFatalErrors: [], startBlock: 10 },
    ...{ headBlock: 20, chainHeadBlock: 21 },
  };

  beforeAll(async () => {
    database = await databases.fresh();
    await migrate(database);
    hosting = createQueryHosting();
    await addEntry(database, { name: "org", version: "cases", deployment: "QmGraphqlCases" });
    await setHead(database, "QmGraphqlCases", 20, `0x${"20".repeat(32)}`);
    hosting.statuses.set("QmGraphqlCases", healthy);
    app = await createApp(queryPlatform(database, hosting), [endpoints({ publicRate: null })]);
  });

  afterAll(() => app.close());

  const ask = async (query: string) => {
    const url = "/index-node/graphql";
    const headers = { "content-type": "application/json" };
    const response = await app.inject({ method: "POST", url, headers, payload: JSON.stringify({ query }) });
    expect([response.statusCode, response.headers["access-control-allow-origin"]]).toEqual([200, "*"]);
    return response.json();
  };

  test.each(cases)("is told as a graph-node tells it: $name", async (one) => {
    const { query, expectedData, expectedErrorPattern } = one;
    // The hash of the chain's head is not known here.
    const isHead = one.name === "chains";
    const answer = await ask(
      isHead ? query.replace("chainHeadBlock { number hash }", "chainHeadBlock { number }") : query,
    );
    const expected = isHead
      ? JSON.parse(JSON.stringify(expectedData).replace(/,"hash":"(?:21)+"/, ""))
      : expectedData;
    if (expected !== undefined) expect(answer).toEqual({ data: expected });
    if (expectedErrorPattern !== undefined) {
      expect(answer.errors[0].message).toMatch(new RegExp(expectedErrorPattern));
    }
  });

  test("says what went wrong, and what is not known", async () => {
    await addEntry(database, { name: "bad", version: "1", deployment: "QmBad" });
    await addEntry(database, { name: "bad", version: "2", deployment: "QmNew" });
    const fatalError = { message: "no", block: 12, handler: "handleSwap", isDeterministic: true };
    hosting.statuses.set("QmBad", { ...healthy, health: "failed", fatalError });
    hosting.statuses.set("QmNew", { ...healthy, isSynced: false, nonFatalErrors: [{ message: "odd" }] });
    await setHead(database, "QmBad", 12, `0x${"12".repeat(32)}`);
    await database.query("update graphloom.deployments set synced_at = now() where deployment = 'QmBad'");
    expect(
      await ask(`{
        current: indexingStatusForCurrentVersion(subgraphName: "bad") {
          subgraph health synced paused historyBlocks fatalError { message handler deterministic block { number } }
        }
        pending: indexingStatusForPendingVersion(subgraphName: "bad") {
          subgraph synced nonFatalErrors { message deterministic }
        }
      }`),
    ).toEqual({
      data: {
        current: {
          ...{ subgraph: "QmBad", health: "failed", synced: true, paused: false, historyBlocks: 2147483647 },
          fatalError: { message: "no", handler: "handleSwap", deterministic: true, block: { number: "12" } },
        },
        pending: {
          ...{ subgraph: "QmNew", synced: false },
          nonFatalErrors: [{ message: "odd", deterministic: true }],
        },
      },
    });
    const { data, errors } = await ask(
      '{ indexingStatuses(subgraphs: ["QmBad"]) { fatalError { block { hash } } chains { chainHeadBlock { hash } } } }',
    );
    expect(data).toEqual({
      indexingStatuses: [{ fatalError: { block: null }, chains: [{ chainHeadBlock: null }] }],
    });
    expect(errors.map(({ message }: { readonly message: string }) => message).sort()).toEqual([
      "the hash of block 12 is not known",
      "the hash of block 21 is not known",
    ]);
  });

  test("is not told of what is not public", async () => {
    await addEntry(database, { name: "hidden", version: "1", deployment: "QmHidden", isPublic: false });
    hosting.statuses.set("QmHidden", healthy);
    const query =
      '{ a: indexingStatuses { subgraph } b: indexingStatusesForSubgraphName(subgraphName: "hidden") { subgraph } }';
    const ids = async (): Promise<string> => JSON.stringify(await ask(query));
    expect(await ids()).not.toContain("QmHidden");
    await changeVersion(
      database,
      { project: "project_1", name: "hidden", version: "1" },
      { hasPublicEndpoint: true },
    );
    expect((await ids()).match(/QmHidden/g)).toHaveLength(2);
  });

  test.each([
    ["{}", 'Invalid request: The "query" field is missing in request data'],
    ['{"query":"{"}', "Query error: Syntax Error: Expected Name, found <EOF>."],
    [
      JSON.stringify({ query: `{ ${"version { version } ".repeat(300)} }` }),
      "Query error: Syntax Error: Document contains more that 1000 tokens. Parsing aborted.",
    ],
  ])("is not told to %s", async (payload, text) => {
    const url = "/index-node/graphql";
    const { statusCode, body } = await app.inject({ method: "POST", url, payload });
    expect([statusCode, body]).toEqual([400, text]);
  });
});
