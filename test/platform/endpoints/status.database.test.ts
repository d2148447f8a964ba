import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { HostedStatus } from "../../../src/hosting/engine.js";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import { oneClient } from "../../../src/platform/endpoints/options.js";
import { createApp } from "../../../src/platform/http/app.js";
import { addVersion, changeVersion } from "../../../src/platform/subgraphs/versions.js";
import { parseDecimal } from "../../../src/runtime/numbers/big-decimal.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { EntityChange, StoreValue } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { blocksBundle } from "../../hosting/blocks.js";
import { describeDatabases } from "../../support/database/databases.js";
import { createQueryHosting, type QueryHosting, queryPlatform } from "../../support/server/query-hosting.js";
import { addEntry, setHead } from "./add-entry.js";

/** A query and the answer of graph-node's index node. */
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

describeDatabases("The indexing status", (databases) => {
  let app: FastifyInstance;
  let database: Database;
  let hosting: QueryHosting;
  const healthy: HostedStatus = {
    health: "healthy",
    isSynced: true,
    nonFatalErrors: [],
    startBlock: 10,
    headBlock: 20,
    chainHeadBlock: 21,
  };

  beforeAll(async () => {
    database = await databases.fresh();
    await migrate(database);
    hosting = createQueryHosting();
    await addEntry(database, { name: "org", version: "cases", deployment: "QmGraphqlCases" });
    await setHead(database, "QmGraphqlCases", 20, `0x${"20".repeat(32)}`);
    hosting.statuses.set("QmGraphqlCases", healthy);
    app = await createApp(queryPlatform(database, hosting), [endpoints(oneClient)]);
  });

  afterAll(() => app.close());

  const ask = async (query: string) => {
    const url = "/index-node/graphql";
    const headers = { "content-type": "application/json" };
    const response = await app.inject({ method: "POST", url, headers, payload: JSON.stringify({ query }) });
    expect([response.statusCode, response.headers["access-control-allow-origin"]]).toEqual([200, "*"]);
    return response.json();
  };

  test.each(cases)("the status is reported as graph-node reports it: $name", async (one) => {
    const { query, expectedData, expectedErrorPattern } = one;
    // The hash of the chain head is unknown here.
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

  test("the status includes errors and reports unknown hashes", async () => {
    await addEntry(database, { name: "bad", version: "1", deployment: "QmBad" });
    await addEntry(database, { name: "bad", version: "2", deployment: "QmNew" });
    const fatalError = { message: "no", block: 12, handler: "handleSwap", isDeterministic: true };
    hosting.statuses.set("QmBad", { ...healthy, health: "failed", fatalError });
    hosting.statuses.set("QmNew", { ...healthy, isSynced: false, nonFatalErrors: [{ message: "odd" }] });
    await setHead(database, "QmBad", 12, `0x${"12".repeat(32)}`);
    await database.query(SQL`update graphloom.deployments set synced_at = now() where deployment = 'QmBad'`);
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
          subgraph: "QmBad",
          health: "failed",
          synced: true,
          paused: false,
          historyBlocks: 2147483647,
          fatalError: { message: "no", handler: "handleSwap", deterministic: true, block: { number: "12" } },
        },
        pending: {
          subgraph: "QmNew",
          synced: false,
          nonFatalErrors: [{ message: "odd", deterministic: true }],
        },
      },
    });
    const known = { ...fatalError, blockHash: "0x0c" };
    hosting.statuses.set("QmNew", { ...healthy, health: "failed", fatalError: known });
    const hash = '{ indexingStatuses(subgraphs: ["QmNew"]) { fatalError { block { hash } } } }';
    expect((await ask(hash)).data).toEqual({
      indexingStatuses: [{ fatalError: { block: { hash: "0x0c" } } }],
    });
    const { data, errors } = await ask(
      '{ indexingStatuses(subgraphs: ["QmBad"]) { fatalError { block { hash } } chains { chainHeadBlock { hash } } } }',
    );
    expect(data).toEqual({
      indexingStatuses: [{ fatalError: { block: null }, chains: [{ chainHeadBlock: null }] }],
    });
    expect(errors.map(({ message }: { readonly message: string }) => message).sort()).toEqual([
      "the hash of block 12 is unknown",
      "the hash of block 21 is unknown",
    ]);
  });

  test("the status lists equal errors of a transaction once, and none during a failure", async () => {
    await addEntry(database, { name: "borne", version: "1", deployment: "QmBorne" });
    const error = { message: "no", block: 12, handler: "handleSwap", isDeterministic: true };
    const nonFatalErrors = [
      { ...error, block: 11 },
      { ...error, transactionHash: "0x01" },
      { ...error, transactionHash: "0x02" },
      { ...error, transactionHash: "0x02", logIndex: 3 },
      { ...error, handler: "handleMint" },
      { ...error, message: "other" },
    ];
    const query =
      '{ indexingStatuses(subgraphs: ["QmBorne"]) { nonFatalErrors { message handler block { number } } } }';
    hosting.statuses.set("QmBorne", { ...healthy, health: "unhealthy", nonFatalErrors });
    const [{ nonFatalErrors: listed }] = (await ask(query)).data.indexingStatuses;
    expect(listed).toEqual([
      { message: "no", handler: "handleSwap", block: { number: "12" } },
      { message: "no", handler: "handleSwap", block: { number: "12" } },
      { message: "no", handler: "handleMint", block: { number: "12" } },
      { message: "other", handler: "handleSwap", block: { number: "12" } },
    ]);
    const fatalError = { message: "no value", block: 13, isDeterministic: false, isRetried: true } as const;
    hosting.statuses.set("QmBorne", { ...healthy, health: "failed", nonFatalErrors, fatalError });
    expect((await ask(query)).data.indexingStatuses).toEqual([{ nonFatalErrors: [] }]);
  });

  test("the status distinguishes kinds of block handlers", async () => {
    const filters = ["{ kind: call }", "{ kind: polling, every: 10 }", "{ kind: once }"];
    const handlers = `[${filters.map((filter) => `{ handler: keep, filter: ${filter} }`).join(", ")}]`;
    const { zip, deployment: id } = await blocksBundle("keep", "", handlers);
    const name = { project: "project_1", name: "kinds", version: "1" };
    const added = { ...name, deployment: id, bundle: zip, network: "mainnet", engine: "embedded" };
    await database.transaction((sql) => addVersion(sql, { ...added, description: null }));
    hosting.statuses.set(id, healthy);
    const { data } = await ask(`{ subgraphFeatures(subgraphId: "${id}") { handlers } }`);
    expect(data.subgraphFeatures.handlers.sort()).toEqual([
      "block_filter_call",
      "block_filter_once",
      "block_filter_polling",
    ]);
  });

  test("the status includes the changes of a block, and the features and size of a deployment", async () => {
    const { zip, deployment: id } = await blocksBundle("keep", "features: [grafting]");
    const name = { project: "project_1", name: "notes", version: "1" };
    const added = { ...name, deployment: id, bundle: zip, network: "mainnet", engine: "embedded" };
    await database.transaction((sql) => addVersion(sql, { ...added, description: null }));
    hosting.statuses.set(id, healthy);
    const schema = `type Note @entity(immutable: false) { id: Bytes!, big: BigInt, price: BigDecimal!, tags: [String!]! }
      type Seen @entity(immutable: true) { id: ID!, whole: Int!, is: Boolean! }`;
    const opened = await openDeployment(database, {
      deployment: id,
      network: "mainnet",
      schema,
      startBlock: 1,
    });
    const entities = readEntitySchema(schema);
    const store = openStore(database, opened, { entities, dataSources: [1], templates: [] });
    const note = (id: string, price: string) => ({
      ...({ kind: "set", type: "Note", id } as const),
      entity: new Map<string, StoreValue>([
        ["id", { kind: "Bytes", value: id }],
        ["price", { kind: "BigDecimal", value: parseDecimal(price) }],
        ["tags", { kind: "Array", value: ["a", 'b"'].map((value) => ({ kind: "String", value })) }],
      ]),
    });
    const seen = new Map<string, StoreValue>([
      ["id", { kind: "String", value: "s" }],
      ["is", { kind: "Bool", value: true }],
      ["whole", { kind: "Int", value: 7 }],
    ]);
    const block = (number: number, changes: readonly EntityChange[]) =>
      store.commit({ number, hash: `0x${String(number).repeat(64)}` }, { changes, dataSources: [] });
    await block(1, [note("0x02", "1.50"), note("0x01", "2"), note("0x03", "3")]);
    await block(2, [
      note("0x02", "2.5"),
      { kind: "remove", type: "Note", id: "0x01" },
      { kind: "set", type: "Seen", id: "s", entity: seen },
    ]);
    const layout = layoutOf(opened);
    Object.assign(hosting.engine("embedded"), {
      storage: async () => ({ database, layout, deployment: opened }),
    });
    const changes = (number: number) =>
      `entityChangesInBlock(subgraphId: "${id}", blockNumber: ${number}) { updates { type entities } deletions { type entities } }`;
    const { data } = await ask(`{
      first: ${changes(1)}
      second: ${changes(2)}
      none: ${changes(3)}
      subgraphFeatures(subgraphId: "${id}") { apiVersion specVersion features dataSources handlers network }
      known: blockHashFromNumber(network: "mainnet", blockNumber: 2)
      unknown: blockHashFromNumber(network: "mainnet", blockNumber: 9)
      elsewhere: blockHashFromNumber(network: "sepolia", blockNumber: 2)
      blockData(network: "mainnet", blockHash: "0x01")
      cachedEthereumCalls(network: "mainnet", blockHash: "0x01") { idHash }
      indexingStatuses(subgraphs: ["${id}"]) { subgraphSize { rowEstimate tableSize indexSize toastSize totalSize } }
    }`);
    const shown = (id: string, price: string) => ({ id, price, tags: ["a", 'b"'] });
    expect(data).toMatchObject({
      first: {
        updates: [{ type: "Note", entities: [shown("0x01", "2"), shown("0x02", "1.5"), shown("0x03", "3")] }],
        deletions: [],
      },
      second: {
        updates: [
          { type: "Note", entities: [shown("0x02", "2.5")] },
          { type: "Seen", entities: [{ id: "s", is: true, whole: 7 }] },
        ],
        deletions: [{ type: "Note", entities: ["0x01"] }],
      },
      none: { updates: [], deletions: [] },
      subgraphFeatures: {
        apiVersion: "0.0.9",
        specVersion: "1.3.0",
        features: ["grafting"],
        network: "mainnet",
        dataSources: ["ethereum"],
        handlers: ["block"],
      },
      known: "2".repeat(64),
      unknown: null,
      elsewhere: null,
      blockData: null,
      cachedEthereumCalls: null,
    });
    const { rowEstimate: _, ...size } = data.indexingStatuses[0].subgraphSize;
    const [table, index, toast, total] = Object.values(size).map(Number);
    expect([table, index, toast].every((bytes) => Number(bytes) > 0)).toBe(true);
    expect(total).toBe(Number(table) + Number(index) + Number(toast));
    const refused = await ask(`{ ${changes(1).replace(id, "QmNone")} }`);
    expect(refused.errors[0].message).toBe("deployment `QmNone` does not exist");
    const proof = `publicProofsOfIndexing(requests: [{ deployment: "${id}", blockNumber: "2" }]) { proofOfIndexing }`;
    expect((await ask(`{ ${proof} }`)).errors[0].message).toBe(
      "Null value resolved for non-null field `proofOfIndexing`",
    );
  });

  test("the status excludes subgraphs that are not public", async () => {
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
  ])("the status rejects the request %s", async (payload, text) => {
    const url = "/index-node/graphql";
    const { statusCode, body } = await app.inject({ method: "POST", url, payload });
    expect([statusCode, body]).toEqual([400, text]);
  });
});
