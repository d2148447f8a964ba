import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, fetchExchange } from "@urql/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../src/machine/compiler/compile.js";
import { createNodeHost } from "../../src/machine/files/host.js";
import { catalogDeployment } from "../../src/query/catalog-deployment.js";
import { createQueryEngine, type QueryEngine } from "../../src/query/engine.js";
import type { Database } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import { layoutOf, openDeployment } from "../../src/store/deployments/deployments.js";
import { openStore } from "../../src/store/entities/open-store.js";
import type { EntityChange } from "../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";
import { asc } from "../support/compiler/asc.js";
import { exampleNames, examples } from "../support/compiler/examples.js";
import { type MadeValue, madeEntity } from "../support/compiler/made-entity.js";
import { onPglite, world } from "../support/database/databases.js";
import type { DoubleServer } from "../support/network/double-server.js";
import { startQueryServer } from "../support/server/query-server.js";

/** The entities to store, and the data that the query in an example's README returns for them. */
interface Example {
  readonly entities: readonly (readonly [type: string, values: Readonly<Record<string, MadeValue>>])[];
  readonly data: object;
}

const transfers: Example = {
  entities: [["Transfer", { id: "t1", from: "0xaa", to: "0xbb", value: `1${"0".repeat(30)}` }]],
  data: { transfers: [{ from: "0xaa", to: "0xbb", value: `1${"0".repeat(30)}` }] },
};

const expected: Readonly<Record<string, Example>> = {
  "build-step": transfers,
  library: transfers,
  demo: {
    entities: [
      ["Trade", { id: "t1", trader: "0xaa", isBuy: true }],
      ["Price", { id: "p1", pair: "WETH/USD", price: "2000.5", updatedAt: 1700000000, trade: "t1" }],
      ["Holder", { id: "h1", account: "0xaa", token: "WETH", balance: "1.5" }],
      ["Holder", { id: "h2", account: "0xbb", token: "WETH", balance: "20" }],
      ["Holder", { id: "h3", account: "0xcc", token: "USD", balance: "300" }],
    ],
    data: {
      prices: [
        {
          pair: "WETH/USD",
          price: "2000.5",
          updatedAt: 1700000000,
          trade: { trader: "0xaa", isBuy: true },
        },
      ],
      holders: [
        { account: "0xbb", balance: "20" },
        { account: "0xaa", balance: "1.5" },
      ],
    },
  },
  "erc20-multichain": {
    entities: [
      ["Transfer", { id: "t1", to: "0xbb", block_number: 7 }],
      ["Payment", { id: "p1", amount: "12.5", kind: "mint", transfer: "t1" }],
      ["Payment", { id: "p2", amount: "1", kind: "burn", transfer: "t1" }],
    ],
    data: { payments: [{ amount: "12.5", transfer: { to: "0xbb", block_number: "7" } }] },
  },
  "factory-of-factories": {
    entities: [
      ["Market", { id: "0x01", name: "Aave" }],
      ["Reserve", { id: "0x02", symbol: "aUSDC", decimals: 6, totalSupply: "9" }],
      ["Reserve", { id: "0x03", symbol: "aDAI", decimals: 18, totalSupply: "10" }],
    ],
    data: {
      markets: [{ id: "0x01", name: "Aave" }],
      reserves: [
        { symbol: "aDAI", decimals: 18, totalSupply: "10" },
        { symbol: "aUSDC", decimals: 6, totalSupply: "9" },
      ],
    },
  },
  market: {
    entities: [
      [
        "Position",
        { id: "0xaa-1", address: "0xaa", tokenId: "1", amount: "0", avgPrice: "0", realizedPnl: "-5" },
      ],
      [
        "Position",
        { id: "0xbb-1", address: "0xbb", tokenId: "1", amount: "9", avgPrice: "450000", realizedPnl: "7" },
      ],
    ],
    data: {
      positions: [
        { address: "0xbb", tokenId: "1", amount: "9", avgPrice: "450000", realizedPnl: "7" },
        { address: "0xaa", tokenId: "1", amount: "0", avgPrice: "0", realizedPnl: "-5" },
      ],
    },
  },
  nouns: {
    entities: [
      ["Transfer", { id: "t1", tokenId: "42", timestamp_: "1700000000" }],
      ["Owner", { id: "0xaa", balance: "1", votes: "3", transfer: "t1" }],
      ["Owner", { id: "0xbb", balance: "2", transfer: "t1" }],
    ],
    data: {
      owners: [
        { id: "0xbb", balance: "2", votes: null, transfer: { tokenId: "42", timestamp_: "1700000000" } },
        { id: "0xaa", balance: "1", votes: "3", transfer: { tokenId: "42", timestamp_: "1700000000" } },
      ],
    },
  },
  positions: {
    entities: [
      ["MintCall", { id: "c1", params_token0: "0xa0", params_token1: "0xa1", output_liquidity: "5" }],
      ["Position", { id: "1", range: "60", owner: "0xaa", mintCall: "c1" }],
      ["Position", { id: "2", range: "10", owner: "0xbb", mintCall: "c1" }],
    ],
    data: {
      mintCalls: [
        {
          params_token0: "0xa0",
          params_token1: "0xa1",
          output_liquidity: "5",
          positions: [
            { range: 60, owner: "0xaa" },
            { range: 10, owner: "0xbb" },
          ],
        },
      ],
    },
  },
  safe: {
    entities: [
      ["ExecTransactionCall", { id: "c1", value: "8", output_success: true }],
      [
        "SafeExecution",
        {
          id: "e1",
          executor: "0xaa",
          target: "0xbb",
          owners: ["0x02", "0x01"],
          isDelegateCall: true,
          execTransactionCall: "c1",
        },
      ],
      ["SafeExecution", { id: "e2", isDelegateCall: false, execTransactionCall: "c1" }],
    ],
    data: {
      safeExecutions: [
        {
          executor: "0xaa",
          target: "0xbb",
          owners: ["0x02", "0x01"],
          execTransactionCall: { value: "8", output_success: true },
        },
      ],
    },
  },
  "uniswap-v3": {
    entities: [
      ["Pool", { id: "0x01", pair: "A/B", feePercent: "0.3", tick: "5", liquidity: "7" }],
      ["Pool", { id: "0x02", pair: "C/D", feePercent: "1", liquidity: "100" }],
      ["Swap", { id: "s1", sender: "0xaa", contractId_: "0x01" }],
      ["SwapVolume", { id: "v1", isBuy: true, amount0: "-1.5", swap: "s1" }],
      ["SwapVolume", { id: "v2", isBuy: false, amount0: "1.5", swap: "s1" }],
    ],
    data: {
      pools: [
        { id: "0x02", pair: "C/D", feePercent: "1", tick: null },
        { id: "0x01", pair: "A/B", feePercent: "0.3", tick: 5 },
      ],
      swapVolumes: [{ amount0: "-1.5", swap: { sender: "0xaa", contractId_: "0x01" } }],
    },
  },
};

describe("the query of the example", () => {
  let database: Database;
  let server: DoubleServer | undefined;

  beforeAll(async () => {
    database = await onPglite().fresh();
    await migrate(database);
  });
  afterAll(() => server?.stop());

  test.each(
    exampleNames,
  )("the query in the README of the example %s returns the expected data", async (name) => {
    const { entities, data } = exampleNamed(name);
    const engine = await engineOf(name, await builtSchema(name), entities, database);
    server = await startQueryServer(engine);
    const client = new Client({ url: server.url, exchanges: [fetchExchange], preferGetMethod: false });
    const { data: given, error } = await client.query(queryIn(name), {}).toPromise();
    await server.stop();
    expect(error).toBeUndefined();
    expect(given).toEqual(data);
  });
});

function exampleNamed(name: string): Example {
  const found = expected[name];
  if (!found) throw new Error(`this test has no expected data for the example ${name}`);
  return found;
}

function queryIn(name: string): string {
  const readme = readFileSync(join(examples, name, "README.md"), "utf8");
  return /```graphql\n(.*?)```/s.exec(readme)?.[1] ?? "";
}

/** The schema of a build; builds of several chains share one. */
async function builtSchema(name: string): Promise<string> {
  const { ok, files } = await build("subgraph.json", createNodeHost({ cwd: join(examples, name) }), { asc });
  expect(ok).toBe(true);
  const found = [...files].find(([path]) => /^build\/(?:[^/]+\/)?schema\.graphql$/.test(path));
  if (!found) throw new Error(`the build of ${name} has no schema`);
  return String(found[1]);
}

async function engineOf(
  name: string,
  schema: string,
  made: Example["entities"],
  database: Database,
): Promise<QueryEngine> {
  const wanted = { deployment: `Qm${name}`, network: "mainnet", schema, startBlock: 1 };
  const deployment = await openDeployment(database, wanted);
  const entities = readEntitySchema(schema);
  const store = openStore(database, deployment, { entities, dataSources: [], templates: [] });
  const changes = made.map(([type, values]): EntityChange => {
    const known = entities.types.get(type);
    if (!known) throw new Error(`the example ${name} has no type ${type}`);
    return { kind: "set", type, id: String(values.id), entity: madeEntity(known, values) };
  });
  const block = { number: 1, hash: "0x01", parentHash: "0x00", timestamp: 1n };
  await store.commit(block, { changes, dataSources: [] }, { more: false });
  await store.flush?.();
  return createQueryEngine({
    database,
    deployment: catalogDeployment(deployment, layoutOf(deployment)),
    world,
  });
}
