import { afterAll, beforeAll, expect, it } from "vitest";
import { readTableToImport } from "../../src/data/catalog/import-table.js";
import { createPostgresMarket } from "../../src/data/markets/postgres-market.js";
import type { DataNode } from "../../src/data/nodes/data-node.js";
import { createDataService } from "../../src/data/service/data-service.js";
import {
  ContractClient,
  documentOperations,
  expectBadRefused,
  expectGoodAnswered,
  expectPages,
  type Given,
} from "../support/data/contract.js";
import { timeOf } from "../support/data/made-chain.js";
import { activity, balance, makeMarket, position } from "../support/data/made-market.js";
import { describeRows, type MadeRows } from "../support/data/made-rows.js";

const [wallet, other, token] = [1, 2, 3].map((digit) => `0x${String(digit).repeat(40)}`) as [
  string,
  string,
  string,
];

describeRows("the data service keeps its OpenAPI document", (fresh, isFirst) => {
  let rows: MadeRows;
  let client: ContractClient;

  beforeAll(async () => {
    const underTest = await fresh();
    rows = underTest.rows;
    const { database } = underTest;
    for (const chain of ["ethereum", "base"]) {
      await rows.makeChain({ chain, head: 9, final: 5 });
      await rows.putTransfers(
        chain,
        [1, 2, 3].map((block) => ({
          block,
          transaction: 0,
          log: 0,
          from: other,
          to: wallet,
          token,
          amount: BigInt(block),
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
      store: rows.store(),
      market: createPostgresMarket(database, {
        subgraph: "market/1.0.0",
        deployment: made.deployment,
        limit: 10_000,
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

  afterAll(() => rows.drop("ethereum", "base"));

  // Rows of a market are never in the other database.
  const own = documentOperations().filter(({ tags }) => isFirst || !tags.includes("market"));

  it.each(
    own.map((operation) => [operation.path, operation] as const),
  )("%s refuses invalid parameters", async (_, operation) => {
    await expectBadRefused(client, operation);
  });

  it.each(
    own.map((operation) => [operation.path, operation] as const),
  )("%s answers any combination of valid parameters", async (_, operation) => {
    const isActivity = operation.path === "/market/activity";
    await expectGoodAnswered(client, operation, isActivity ? "MISSING_SELECTIVE_FILTER" : undefined);
  });

  it("a zero byte in any parameter is the client's mistake", async () => {
    for (const operation of own)
      for (const { name } of operation.parameters) {
        const meant = Object.entries(client.known).filter(([known]) =>
          operation.parameters.some((one) => one.name === known && known !== name),
        );
        const { status, url } = await client.send(operation, [...meant, [name, "a\0b"]]);
        expect([url, status]).toEqual([url, expect.toSatisfy((code: number) => code >= 400 && code < 500)]);
      }
  });

  const walks: readonly (readonly [path: string, first: Given, pages: number])[] = [
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
  ];
  it.each(
    walks.filter(([path]) => own.some((one) => one.path === path)),
  )("%s has pages that together are complete", async (path, first, pages) => {
    const operation = own.find((one) => one.path === path);
    expect(operation && (await expectPages(client, operation, first))).toBe(pages);
  });
});
