import { afterAll, beforeAll, expect, it } from "vitest";
import { readTableToImport } from "../../src/data/catalog/import-table.js";
import { createPostgresMarket } from "../../src/data/markets/postgres-market.js";
import type { DataNode } from "../../src/data/nodes/data-node.js";
import { createPostgresStore } from "../../src/data/reads/postgres-store.js";
import { createDataService } from "../../src/data/service/data-service.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import {
  ContractClient,
  documentOperations,
  expectBadRefused,
  expectGoodAnswered,
  expectPages,
} from "../support/data/contract.js";
import { makeChain, putTransfers, timeOf } from "../support/data/made-chain.js";
import { activity, balance, makeMarket, position } from "../support/data/made-market.js";
import { describeDatabase } from "../support/database/databases.js";

const [wallet, other, token] = [1, 2, 3].map((digit) => `0x${String(digit).repeat(40)}`) as [
  string,
  string,
  string,
];

describeDatabase("the data service keeps its OpenAPI document", false, (databases) => {
  let database: Database;
  let client: ContractClient;

  beforeAll(async () => {
    database = await databases.fresh();
    for (const chain of ["ethereum", "base"]) {
      await database.run(chain === "base" ? dropBase : dropEthereum);
      await makeChain(database, { chain, head: 9, final: 5 });
      await putTransfers(
        database,
        chain,
        [1, 2, 3].map((block) => ({
          ...{ block, transaction: 0, log: 0, from: other, to: wallet, token, amount: BigInt(block) },
        })),
      );
    }
    await readTableToImport(`chain,token,symbol,decimals,stable\nethereum,${token},USDX,6,true\n`).write(
      database,
    );
    const node: DataNode = {
      call: async () => `0x${"1".padStart(64, "0")}`,
      create: async () => undefined,
      balance: async () => 7n,
    };
    const made = await makeMarket(database);
    await made.commit(9, [
      activity({ block: 9, log: 1, address: wallet }),
      balance(wallet, token, 1n, 5n, 9),
      position(wallet, 1n, { amount: 5n }, 9),
    ]);
    const service = createDataService({
      store: createPostgresStore(database, 10_000),
      market: createPostgresMarket(database, {
        ...{ subgraph: "market/1.0.0", deployment: made.deployment, limit: 10_000 },
      }),
      key: "key-of-the-test",
      nodes: new Map([
        ["ethereum", node],
        ["base", node],
      ]),
      now: () => timeOf(9) * 1000,
    });
    client = new ContractClient(service, { address: wallet, token_address: token });
  });

  afterAll(async () => {
    await database.run(dropEthereum);
    await database.run(dropBase);
  });

  const own = documentOperations();

  it.each(
    own.map((operation) => [operation.path, operation] as const),
  )("%s refuses what its parameters do not allow", async (_, operation) => {
    await expectBadRefused(client, operation);
  });

  it.each(
    own.map((operation) => [operation.path, operation] as const),
  )("%s answers what they allow, in any combination", async (_, operation) => {
    const isActivity = operation.path === "/market/activity";
    await expectGoodAnswered(client, operation, isActivity ? "MISSING_SELECTIVE_FILTER" : undefined);
  });

  it.each([
    ["/blocks/{chain}", [["limit", "3"]], 4],
    [
      "/feeds/wallets/transfers",
      [
        ["address", wallet],
        ["page_size", "2"],
        ["include_unknown_price", "true"],
      ],
      3,
    ],
    [
      "/feeds/wallets/balances",
      [
        ["address", wallet],
        ["page_size", "1"],
        ["include_unknown_price", "true"],
      ],
      4,
    ],
    ["/market/activity", [["address", wallet]], 1],
  ] as const)("%s has pages that all fit it", async (path, first, pages) => {
    const operation = own.find((one) => one.path === path);
    expect(operation && (await expectPages(client, operation, first))).toBe(pages);
  });
});

const dropEthereum = SQL`drop schema if exists graphloom_data_ethereum cascade`;
const dropBase = SQL`drop schema if exists graphloom_data_base cascade`;
