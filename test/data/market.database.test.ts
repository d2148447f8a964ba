import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { findMarket } from "../../src/data/markets/find-market.js";
import { indexActivity } from "../../src/data/markets/index-activity.js";
import { createPostgresMarket } from "../../src/data/markets/postgres-market.js";
import { openApiDocument } from "../../src/data/openapi/openapi-document.js";
import { createPostgresStore } from "../../src/data/reads/postgres-store.js";
import { createDataService, type DataService } from "../../src/data/service/data-service.js";
import { createNodeWorld } from "../../src/machine/world.js";
import type { SubgraphNames } from "../../src/pipelines/plan/open-catalog.js";
import { type Database, SQL, type SqlFragment, type SqlText } from "../../src/store/database/database.js";
import { quoteNames } from "../../src/store/database/quote.js";
import { recordFatalError, recordRetriedError } from "../../src/store/deployments/health.js";
import { openOwnDatabase } from "../../src/store/open.js";
import type { EntityChange } from "../../src/subgraph/schema/entity.js";
import { graphloom, workplace } from "../cli/harness.js";
import { type Asked, ask, dataKey } from "../support/data/asked.js";
import {
  activity,
  activityId,
  balance,
  type MadeActivity,
  type MadeMarket,
  makeMarket,
  marketSchema,
  marketTime,
  position,
} from "../support/data/made-market.js";
import { describeDatabase, serverDatabase } from "../support/database/databases.js";
import { notingDatabase } from "../support/database/noting-database.js";
import { postgresMissing } from "../support/database/postgres-server.js";
import { campaignTimeout, isMarketCampaign, marketSeeds } from "../support/market/seeds.js";
import { type Draw, drawFrom } from "../support/pool/draw.js";

const address = (number: number): string => `0x${number.toString(16).padStart(40, "a")}`;
const [alice, bob, carol] = [address(1), address(2), address(3)];
const [tokens, others] = [address(0xc1), address(0xc2)];
const now = (marketTime(100) + 30) * 1000;
const huge = 2n ** 255n + 1n;

type Query = Parameters<typeof ask>[2];

describeDatabase("the market of the data service", isMarketCampaign, (databases) => {
  let database: Database;
  beforeAll(async () => {
    database = await databases.fresh();
  });

  function serviceOf(market?: MadeMarket): DataService {
    return createDataService({
      store: createPostgresStore(database, 10_000),
      key: dataKey,
      now: () => now,
      market:
        market &&
        createPostgresMarket(database, {
          subgraph: "market/1.0.0",
          deployment: market.deployment,
          limit: 10_000,
        }),
    });
  }

  describe("as activity", () => {
    const rows: readonly MadeActivity[] = [
      {
        block: 10,
        log: 9,
        address: alice,
        side: "SELL",
        orderType: "maker",
        counterparty: bob.toUpperCase(),
      },
      {
        block: 10,
        log: 10,
        address: bob,
        usdc: 2_000_001n,
        shares: 3_000_000n,
        fee: 30_000n,
        feeAsset: "token",
      },
      {
        block: 12,
        log: 2,
        part: 0,
        address: alice,
        eventType: "SPLIT",
        token: 1n,
        fee: 7n,
        feeAsset: "collateral",
      },
      { block: 12, log: 2, part: 1, address: alice, eventType: "SPLIT", token: huge, usdc: null },
      {
        block: 20,
        log: 1,
        address: bob,
        eventType: "MERGE",
        side: "SELL",
        usdc: 9_007_199_254_740_993_000_000n,
      },
      {
        block: 22,
        log: 1,
        address: carol,
        eventType: "REDEEM",
        side: "SELL",
        shares: 0n,
        fee: 5n,
        feeAsset: "token",
      },
      { block: 22, log: 2, address: carol, eventType: "CONVERT", side: "SELL", usdc: 100_000n, shares: null },
    ];
    const ids = rows.map(activityId);
    let service: DataService;
    beforeAll(async () => {
      const market = await makeMarket(database);
      for (const block of new Set(rows.map((row) => row.block)))
        await market.commit(block, rows.filter((row) => row.block === block).map(activity));
      await market.commit(100);
      service = serviceOf(market);
      expected100 = market.hashOf(100);
    });
    let expected100 = "";
    const read = (query: Query = {}): Promise<Asked> => ask(service, "/market/activity", query);
    const placesOf = async (query: Query): Promise<readonly number[]> => {
      const { status, body } = await read(query);
      expect([query, status]).toEqual([query, 200]);
      return body.data.map(({ id }: { readonly id: string }) => ids.indexOf(id));
    };

    it("is the newest first, with amounts that are divided exactly and rounded once", async () => {
      const { status, headers, body } = await read();
      expect([status, body.limit, body.next_cursor]).toEqual([200, 100, null]);
      expectFits("/market/activity", { status, headers, body });
      expect(body.data.map(({ id }: { readonly id: string }) => ids.indexOf(id))).toEqual([
        6, 5, 4, 3, 2, 1, 0,
      ]);
      expect(body.data[6]).toEqual({
        id: ids[0],
        block_number: 10,
        block_timestamp: marketTime(10),
        transaction_hash: ids[0]?.split("_")[0],
        event_type: "TRADE",
        side: "SELL",
        order_type: "maker",
        address: alice,
        counterparty_address: bob,
        token_id: "1",
        amount_usdc: 0.5,
        amount_shares: 1,
        price: 0.5,
        fee: null,
        fee_asset: null,
        order_id: null,
        builder: null,
      });
      // A fee in tokens is worth their price: 0.03 tokens at 0.666667.
      expect(body.data[5]).toMatchObject({ amount_usdc: 2.000001, price: 2_000_001 / 3_000_000 });
      expect(body.data[5]).toMatchObject({ fee: 0.02000001, fee_asset: "token" });
      expect(body.data[4]).toMatchObject({ fee: 0.000007, fee_asset: "collateral" });
      expect(body.data[3]).toMatchObject({ token_id: String(huge), amount_usdc: null, price: null });
      // 2 ** 53 + 1 is no double; it is rounded to the even neighbour.
      expect(body.data[2]).toMatchObject({ amount_usdc: 2 ** 53, price: 2 ** 53 });
      expect(body.data[1]).toMatchObject({ amount_shares: 0, price: null, fee: null, fee_asset: "token" });
      expect(body.data[0]).toMatchObject({ amount_usdc: 0.1, amount_shares: null, price: null });
      expect(headers).toMatchObject({
        "cache-control": "private, max-age=2",
        "x-blocks": `polygon;number=100;hash="${expected100}";time=${marketTime(100)}`,
        "x-block-number": "100",
      });
    });

    it.each<[readonly number[], Query]>([
      [[3, 2, 0], { address: alice }],
      [[3, 2, 0], { address: `0x${alice.slice(2).toUpperCase()}` }],
      [[3, 2, 0], { address: alice.toUpperCase() }],
      [[3], { token_id: String(huge) }],
      [[3], { token_id: `00${huge}`.slice(-78) }],
      [[], { token_id: "9".repeat(78) }],
      [[3, 2], { address: alice, event_type: "SPLIT" }],
      [[4], { address: bob, event_type: "MERGE" }],
      [[5], { address: carol, event_type: "REDEEM" }],
      [[6], { address: carol, event_type: "CONVERT" }],
      [[0], { address: alice, event_type: "TRADE" }],
      [[0], { address: alice, side: "SELL" }],
      [[3, 2], { address: alice, side: "BUY" }],
      [[0], { address: alice, order_type: "maker" }],
      [[3, 2], { address: alice, order_type: "taker" }],
      [[3, 2], { address: alice, start_block: 11 }],
      [[0], { address: alice, end_block: 11 }],
      [[4, 3, 2], { start_block: 12, end_block: 20 }],
      [[], { start_block: 21, end_block: 12 }],
      [[4, 3, 2], { start_time: marketTime(12), end_time: marketTime(20) }],
      [[4], { start_time: marketTime(12) + 1, end_time: marketTime(21) }],
      [
        [4],
        { start_time: timeText(marketTime(12), ".000000001Z"), end_time: timeText(marketTime(20), ".5Z") },
      ],
      [
        [4, 3, 2],
        { start_time: timeText(marketTime(12), "+00:00"), end_time: timeText(marketTime(20), "z") },
      ],
      [[], { start_time: marketTime(101), end_time: marketTime(110) }],
      [[6, 5], { address: carol, min_amount_usdc: 0.1 }],
      [[5], { address: carol, min_amount_usdc: 0.1000001 }],
      [[4, 1], { address: bob, min_amount_usdc: "2.000001" }],
      [[4], { address: bob, min_amount_usdc: "2.0000010001" }],
      [[4], { address: bob, min_amount_usdc: 9_007_199_254_740_992 }],
      [[], { address: bob, min_amount_usdc: "1e300" }],
      // Without an amount, it is not at least 0.
      [[2, 0], { address: alice, min_amount_usdc: 0 }],
      [[0, 1, 2, 3, 4, 5, 6], { sort: "block_number_asc" }],
      [[6, 5, 4, 3, 2, 1, 0], { sort: "block_number_desc", limit: 100 }],
      // Null counts as zero; ties are newest first.
      [[2, 0, 3], { address: alice, sort: "amount_usdc_desc" }],
      [[4, 1], { address: bob, sort: "amount_usdc_desc" }],
      [[6], { limit: 1 }],
      [[], { limit: 0 }],
      // Parameters of other operations are ignored.
      [[6, 5, 4, 3, 2, 1, 0], { page_size: 1, min_balance: "x" }],
    ])("are the rows %j for %j", async (expected, query) => {
      expect(await placesOf(query)).toEqual(expected);
    });

    it("returns at most 1000 rows in a page", async () => {
      expect((await read({ address: alice, limit: 5_000 })).body.limit).toBe(1_000);
    });

    const day = marketTime(0);
    it.each<[number, Query]>([
      [400, { limit: 101 }],
      [400, { event_type: "TRADE", limit: 2 }],
      [400, { side: "BUY" }],
      [400, { order_type: "taker" }],
      [400, { min_amount_usdc: 1 }],
      [400, { sort: "amount_usdc_desc" }],
      [400, { start_block: 1 }],
      [400, { end_block: 1 }],
      [400, { start_time: day }],
      [400, { start_block: 0, end_block: 300_001 }],
      [200, { start_block: 0, end_block: 300_000, limit: 1_000 }],
      [400, { start_time: day, end_time: day + 604_801 }],
      [200, { start_time: day, end_time: day + 604_800, event_type: "TRADE", limit: 1_000 }],
      [200, { token_id: "1", sort: "amount_usdc_desc", limit: 1_000 }],
    ])("requires a selective filter: %i for %j", async (expected, query) => {
      const { status, headers, body } = await read(query);
      expect([status, body.error?.code]).toEqual([
        expected,
        expected === 400 ? "MISSING_SELECTIVE_FILTER" : undefined,
      ]);
      expectFits("/market/activity", { status, headers, body });
    });

    it.each<Query>([
      { address: "0x12" },
      { address: "" },
      { token_id: "0x1" },
      { token_id: "-1" },
      { event_type: "trade" },
      { side: "buy" },
      { order_type: "TAKER" },
      { start_time: "yesterday" },
      { end_time: "2026-13-01T00:00:00Z" },
      { start_time: "1.5" },
      { start_time: "2026-02-30T00:00:00Z" },
      { end_time: "2026-01-31" },
      { start_block: -1 },
      { end_block: "1.0" },
      { min_amount_usdc: -1 },
      { min_amount_usdc: "NaN" },
      { sort: "newest" },
      { limit: -1 },
      { limit: "ten" },
    ])("refuses %j", async (query) => {
      const { status, headers, body } = await read({ address: alice, ...query });
      expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
      expectFits("/market/activity", { status, headers, body });
    });

    it("reads a wallet's activity in the order of its index, for any number of rows", async () => {
      const market = await makeMarket(database);
      await market.commit(
        9,
        [1, 2, 3].map((log) => activity({ block: 9, log, address: alice })),
      );
      const noted: (readonly [statement: SqlFragment, given: readonly SqlText[]])[] = [];
      const noting = notingDatabase(database, (...one) => noted.push(one));
      const service = createDataService({
        store: createPostgresStore(database, 10_000),
        key: dataKey,
        now: () => now,
        market: createPostgresMarket(noting, {
          subgraph: "market/1.0.0",
          deployment: market.deployment,
          limit: 10_000,
        }),
      });
      // Twice, as two servers may do it, and after one was interrupted.
      await indexActivity(database, market.deployment);
      await database.query(
        SQL`update pg_index set indisvalid = false where indexrelid = to_regclass($1::text)`,
        [quoted(market, "market_activity_by_wallet")],
      );
      await indexActivity(database, market.deployment);
      await indexActivity(database, market.deployment);
      const first = await ask(service, "/market/activity", { address: alice, limit: 1 });
      await ask(service, "/market/activity", { cursor: first.body.next_cursor, limit: 1 });
      await ask(service, "/market/activity", { address: alice, sort: "block_number_asc", limit: 1 });
      const pages = noted.filter(([statement]) => statement.includes('."activity"'));
      expect(pages).toHaveLength(3);
      await database.transaction(async (sql) => {
        // A few rows are sorted otherwise, whatever indexes there are.
        await sql.run(
          SQL`set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off`,
        );
        for (const [statement, given] of pages) {
          const rows = await sql.query(SQL`explain ${statement}`, given);
          const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
          expect(plan).toMatch(/^Limit.*\n *-> *Index Scan (?:Backward )?using market_activity_by_wallet/);
        }
      });
      const [{ indisvalid: isValid } = {}] = await database.query(
        SQL`select indisvalid from pg_index where indexrelid = to_regclass($1::text)`,
        [quoted(market, "market_activity_by_wallet")],
      );
      expect(isValid).toBe("t");
    });

    it("may be cached for long where no reorganisation reaches", async () => {
      const market = await makeMarket(database);
      await market.commit(
        1_000,
        [1, 2].map((log) => activity({ block: 1_000, log, address: alice })),
      );
      await market.commit(5_000);
      const far = serviceOf(market);
      for (const [query, isFinal] of [
        [{ address: alice, end_block: 4_744 }, true],
        [{ address: alice, end_block: 4_744, limit: 2 }, true],
        [{ address: alice, end_block: 4_744, limit: 1 }, false],
        [{ address: alice, end_block: 4_745 }, false],
        [{ address: alice }, false],
      ] as const) {
        const { headers } = await ask(far, "/market/activity", query);
        expect([query, headers["cache-control"]]).toEqual([
          query,
          isFinal ? "private, max-age=86400" : "private, max-age=2",
        ]);
      }
    });
  });

  describe("as balances", () => {
    let market: MadeMarket;
    let service: DataService;
    beforeAll(async () => {
      market = await makeMarket(database);
      await market.commit(10, [
        balance(alice, tokens, 5n, 10n, 10),
        balance(alice, tokens, 30n, huge, 10),
        balance(alice, others, 5n, 10n, 10),
        balance(bob, tokens, 5n, 1n, 10),
      ]);
      await market.commit(12, [
        balance(alice, tokens, 5n, 0n, 12),
        balance(alice, tokens, 4n, 10n, 12),
        balance(alice, tokens, 31n, huge + 1n, 12),
      ]);
      await market.commit(14, [balance(alice, tokens, 4n, 11n, 14)]);
      await market.commit(100);
      service = serviceOf(market);
    });
    const read = (query: Query = {}): Promise<Asked> => ask(service, "/market/balances", query);
    const held = async (query: Query): Promise<readonly string[]> => {
      const { status, headers, body } = await read(query);
      expect([query, status]).toEqual([query, 200]);
      expectFits("/market/balances", { status, headers, body });
      return body.data.map(
        ({
          token_id: token,
          balance: amount,
          contract_address: contract,
        }: Readonly<Record<string, string>>) => `${token}${contract === others ? "'" : ""} ${amount}`,
      );
    };

    it("are raw integers, with the block of the last change", async () => {
      const { body } = await read({ address: alice, token_id: 4 });
      expect(body.data).toEqual([
        {
          address: alice,
          token_id: "4",
          balance: "11",
          block_number: 14,
          block_timestamp: marketTime(14),
          contract_address: tokens,
          token_type: "erc1155",
        },
      ]);
    });

    const most = `31 ${huge + 1n}`;
    const more = `30 ${huge}`;
    it.each<[readonly string[], Query]>([
      [[most, more, "4 11", "5' 10"], {}],
      [[most, more, "4 11", "5' 10"], { address: alice.toUpperCase(), sort: "balance_desc" }],
      [["5' 10", "4 11", more, most], { sort: "balance_asc" }],
      [["4 11", most, "5' 10", more], { sort: "block_number_desc" }],
      [["5' 10"], { contract_address: others.toUpperCase() }],
      [["4 11"], { token_id: 4, token_type: "erc1155" }],
      [["5' 10"], { token_id: 5 }],
      [[], { address: carol }],
      // A wallet may no longer hold a token.
      [["5 0", "5' 10"], { token_id: 5, min_balance: 0, sort: "balance_asc" }],
      [[most, more, "4 11"], { min_balance: "00011" }],
      [[most], { min_balance: String(huge + 1n) }],
      [[], { min_balance: "9".repeat(78) }],
      // Of each block exactly: the values that it has left, ties by token and contract.
      [[], { as_of_block: 9 }],
      [[], { as_of_block: 0 }],
      [[more, "5 10", "5' 10"], { as_of_block: 10 }],
      [[more, "5 10", "5' 10"], { as_of_block: 11 }],
      [[most, more, "4 10", "5' 10"], { as_of_block: 12 }],
      [[most, more, "4 10", "5' 10"], { as_of_block: 13 }],
      [[most, more, "4 11", "5' 10"], { as_of_block: 14 }],
      [[most, more, "4 11", "5' 10"], { as_of_block: "9223372036854775807" }],
    ])("are %j for %j", async (expected, query) => {
      const isContract = tokens < others;
      expect(isContract).toBe(true);
      expect(await held({ address: alice, ...query })).toEqual(expected);
    });

    it.each<Query>([
      { address: undefined },
      { address: "0x12" },
      { token_type: "erc20" },
      { contract_address: "1" },
      { min_balance: "1.5" },
      { min_balance: "-1" },
      { as_of_block: -1 },
      { as_of_block: "latest" },
      { sort: "newest" },
    ])("refuse %j", async (query) => {
      const { status, body } = await read({ address: alice, ...query });
      expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
    });

    it("say where history was pruned", async () => {
      const pruned = await makeMarket(database, { historyBlocks: 10 });
      for (let block = 1; block <= 40; block += 1)
        await pruned.commit(block, [balance(alice, tokens, 5n, BigInt(block), block)]);
      const young = serviceOf(pruned);
      const { body: status } = await ask(young, "/status");
      const { history_from: first } = status.market.capabilities;
      expect(first).toBeGreaterThan(20);
      const kept = await ask(young, "/market/balances", { address: alice, as_of_block: first });
      expect(kept.body.data[0].balance).toBe(String(first));
      const gone = await ask(young, "/market/balances", { address: alice, as_of_block: first - 1 });
      expect([gone.status, gone.body.error.code]).toEqual([410, "PRUNED"]);
      expect(gone.body.error.message).toContain(`only from block ${first} on`);
      expectFits("/market/balances", gone);
    });
  });

  describe("as positions", () => {
    let service: DataService;
    beforeAll(async () => {
      // Values may be unknown.
      const schema = marketSchema
        .replace("amount: BigInt!", "amount: BigInt")
        .replace("Pnl: BigInt!", "Pnl: BigInt");
      const market = await makeMarket(database, { schema });
      await market.commit(10, [
        position(alice, 9n, { amount: 10n, pnl: -5n }, 10),
        position(alice, 8n, { amount: 10n, pnl: null }, 10),
        position(alice, 7n, { amount: null, pnl: 3n }, 10),
        position(alice, 6n, { amount: 0n, pnl: huge }, 10),
        position(alice, 5n, { amount: huge, pnl: 0n }, 10),
        position(bob, 5n, { amount: 1n }, 10),
      ]);
      await market.commit(12, [position(alice, 8n, { amount: 10n, pnl: null }, 12)]);
      await market.commit(100);
      service = serviceOf(market);
    });
    const read = (query: Query = {}): Promise<Asked> => ask(service, "/market/positions", query);

    it("are raw integers", async () => {
      const { status, headers, body } = await read({ address: alice, token_id: 5 });
      expectFits("/market/positions", { status, headers, body });
      expect(body.data).toEqual([
        {
          address: alice,
          token_id: "5",
          amount: String(huge),
          avg_price: "100000",
          realized_pnl: "0",
          total_bought: "7",
          block_number: 10,
          last_updated_at: marketTime(10),
        },
      ]);
      expect((await read({ address: alice, token_id: 7 })).body.data[0]).toMatchObject({ amount: null });
    });

    it.each<[string, Query]>([
      // Null sorts as zero, and is not hidden as zero is.
      ["5 8 9 7", {}],
      ["7 8 9 5", { sort: "amount_asc" }],
      ["5 8 9 6 7", { include_zero: true }],
      ["6 7 8 9 5", { include_zero: true, sort: "amount_asc" }],
      ["6 7 5 8 9", { include_zero: true, sort: "realized_pnl_desc" }],
      ["7 5 8 9", { include_zero: false, sort: "realized_pnl_desc" }],
      ["8 5 7 9", { sort: "last_updated_at_desc" }],
      ["5 8 9", { min_amount: 10 }],
      ["5", { min_amount: 11 }],
      ["5", { min_amount: String(huge) }],
      ["", { min_amount: String(huge + 1n) }],
      ["5 8 9 6", { min_amount: 0, include_zero: true }],
      ["", { address: carol }],
    ])("belong to the tokens %j for %j", async (expected, query) => {
      for (const limit of [100, 1]) {
        let cursor: string | undefined;
        const found: string[] = [];
        do {
          const { status, body } = await read(
            cursor === undefined ? { address: alice, limit, ...query } : { cursor, limit },
          );
          expect(status).toBe(200);
          found.push(...body.data.map(({ token_id: token }: { readonly token_id: string }) => token));
          cursor = body.next_cursor ?? undefined;
        } while (cursor !== undefined);
        expect(found.join(" ")).toBe(expected);
      }
    });

    it.each<Query>([
      { address: undefined },
      { include_zero: "yes" },
      { min_amount: "x" },
      { sort: "amount" },
    ])("refuse %j", async (query) => {
      const { status, body } = await read({ address: alice, ...query });
      expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
    });
  });

  describe("in pages", () => {
    let market: MadeMarket;
    let service: DataService;
    beforeEach(async () => {
      market = await makeMarket(database);
      service = serviceOf(market);
    });

    /** The next page of a walk. */
    const next = (path: string, cursor: string, query: Query = {}): Promise<Asked> =>
      ask(service, path, { cursor, ...query });

    it(
      "belong to one block each, while rows are written and replaced",
      async () => {
        const outcomes = { whole: 0, ended: 0 };
        for (const seed of marketSeeds) await walkAll(drawFrom(seed), outcomes);
        expect(outcomes.whole).toBeGreaterThan(marketSeeds.length);
        expect(outcomes.ended).toBeGreaterThan(marketSeeds.length / 2);
      },
      campaignTimeout,
    );

    const walks: readonly (readonly [string, Query])[] = [
      ["/market/activity", { address: alice }],
      ["/market/activity", { address: alice, sort: "block_number_asc" }],
      ["/market/activity", { token_id: 1, sort: "amount_usdc_desc" }],
      ["/market/balances", { address: alice }],
      ["/market/balances", { address: alice, sort: "block_number_desc" }],
      ["/market/balances", { address: alice, as_of_block: 20 }],
      ["/market/positions", { address: alice }],
      ["/market/positions", { address: alice, sort: "realized_pnl_desc", include_zero: true }],
    ];

    /** Walks over everything while the chain goes on, and holds each walk against one page at its beginning. */
    async function walkAll(draw: Draw, outcomes: { whole: number; ended: number }): Promise<void> {
      const made = await makeMarket(database);
      const own = serviceOf(made);
      let head = 0;
      const grow = async (): Promise<void> => {
        head += 1;
        await made.commit(head, changesOf(head, draw));
      };
      for (let count = 0; count < 24; count += 1) await grow();
      for (const [path, query] of walks) {
        const whole = await ask(own, path, { ...query, limit: 1_000 });
        expect([path, whole.status]).toEqual([path, 200]);
        const pinned = head;
        let isReplaced = false;
        let page = await ask(own, path, { ...query, limit: 2 + draw.below(5) });
        const walked = [...page.body.data];
        const asked: { readonly cursor: string; readonly limit: number; readonly rows: unknown }[] = [];
        while (page.body.next_cursor !== null) {
          for (let count = draw.below(3); count > 0; count -= 1) await grow();
          if (draw.happens(0.1)) {
            const last = head - 1 - draw.below(4);
            isReplaced ||= last < pinned;
            await made.revert(last);
            head = last;
            if (draw.happens(0.5)) for (let count = 0; count < 5; count += 1) await grow();
          }
          const [cursor, limit]: [string, number] = [page.body.next_cursor, 2 + draw.below(5)];
          page = await ask(own, path, { cursor, limit });
          if (isReplaced) break;
          expect([path, page.status]).toEqual([path, 200]);
          expect(page.headers["x-block-number"]).toBe(String(pinned));
          walked.push(...page.body.data);
          asked.push({ cursor, limit, rows: page.body.data });
        }
        if (isReplaced) {
          expect([path, page.status, page.body.error.code]).toEqual([path, 410, "REORGANISED"]);
          expectFits(path, page);
          outcomes.ended += 1;
          continue;
        }
        expect(walked).toEqual(whole.body.data);
        // Back, page by page.
        for (const { cursor, limit, rows } of asked.reverse())
          expect((await ask(own, path, { cursor, limit })).body.data).toEqual(rows);
        outcomes.whole += 1;
      }
    }

    function changesOf(block: number, draw: Draw): readonly EntityChange[] {
      const changes = Array.from({ length: draw.below(4) }, (_, log) => {
        const usdc = draw.happens(0.2) ? null : BigInt(draw.below(3));
        return activity({ block, log, part: draw.below(3), address: draw.one([alice, bob]), usdc });
      });
      const token = BigInt(draw.below(12));
      const amount = draw.happens(0.3) ? huge + BigInt(draw.below(3)) : BigInt(draw.below(3));
      return [
        ...changes,
        balance(alice, tokens, token, amount, block),
        draw.happens(0.1) && block > 1
          ? position(alice, token, { amount: 0n, pnl: -amount }, block)
          : position(alice, token, { amount, pnl: BigInt(draw.below(5)) - 2n }, block),
      ];
    }

    it("accept the filters of the first page, and refuse others", async () => {
      await market.commit(
        1,
        [1n, 2n, 3n].map((token) => balance(alice, tokens, token, 5n, 1)),
      );
      await market.commit(2);
      const path = "/market/balances";
      const { body } = await ask(service, path, { address: alice, limit: 1, min_balance: 5 });
      const cursor: string = body.next_cursor;
      for (const query of [
        {},
        { address: alice },
        { address: alice.toUpperCase(), min_balance: "005", sort: "balance_desc", limit: 2 },
      ])
        expect((await next(path, cursor, query)).body.data[0].token_id).toBe("2");
      const [text = "", signature = ""] = cursor.split(".");
      for (const query of [
        { address: bob },
        { min_balance: 4 },
        { as_of_block: 2 },
        { sort: "balance_asc" },
        { token_id: 2 },
        { cursor: `${text}x.${signature}` },
        { cursor: text },
        { cursor: "abc" },
      ]) {
        const { status, body: refused } = await next(path, cursor, query);
        expect([query, status, refused.error.code]).toEqual([query, 400, "INVALID_CURSOR"]);
      }
      for (const other of ["/market/positions", "/market/activity"])
        expect((await next(other, cursor)).body.error.code).toBe("INVALID_CURSOR");
      const feeds = await ask(service, "/feeds/wallets/balances", { address: alice, page_token: cursor });
      expect(feeds.body.error.code).toBe("INVALID_CURSOR");
      expect((await next(path, "")).body.error.code).toBe("BAD_REQUEST");
      const another = await makeMarket(database);
      await another.commit(1);
      const elsewhere = await ask(serviceOf(another), path, { cursor });
      expect(elsewhere.body.error).toMatchObject({
        code: "INVALID_CURSOR",
        message: "The cursor is of another build of the market. Start again without it.",
      });
    });

    it("end when nothing proves any longer that their block was not replaced", async () => {
      await market.commit(
        1,
        [1n, 2n, 3n, 4n].map((token) => balance(alice, tokens, token, 5n, 1)),
      );
      const path = "/market/balances";
      const first = await ask(service, path, { address: alice, limit: 1 });
      for (let block = 2; block <= 600; block += 1) await market.store.commit(blockOf(block), nothing, batch);
      await market.commit(601);
      const second = await next(path, first.body.next_cursor, { limit: 1 });
      expect([second.status, second.headers["x-block-number"]]).toEqual([200, "1"]);
      for (let block = 602; block <= 1_200; block += 1)
        await market.store.commit(blockOf(block), nothing, batch);
      await market.commit(1_201);
      // Its block is forgotten, but the one at which the second page was read is still there.
      expect((await next(path, second.body.next_cursor, { limit: 1 })).body.data[0].token_id).toBe("3");
      const late = await next(path, first.body.next_cursor, { limit: 1 });
      expect([late.status, late.body.error.code]).toEqual([410, "PRUNED"]);
      expect(late.body.error.message).toContain("The hash of block 1 of polygon");
    });

    const nothing = { changes: [], dataSources: [] };
    const batch = { more: true };
    const blockOf = (number: number): { readonly number: number; readonly hash: string } => ({
      number,
      hash: `0x${number}`,
    });
  });

  describe("is not answered", () => {
    const paths = ["/market/activity", "/market/balances", "/market/positions"];
    const refusals = async (service: DataService): Promise<readonly unknown[]> => {
      const found = [];
      for (const path of paths) {
        const asked = await ask(service, path, { address: alice });
        expectFits(path, asked);
        const { status, headers, body } = asked;
        found.push([status, body.error?.code, headers["retry-after"], body.error?.message]);
      }
      expect(new Set(found.map((one) => JSON.stringify(one))).size).toBe(1);
      return found[0] as readonly unknown[];
    };
    const healthOf = async (service: DataService): Promise<unknown> =>
      (await ask(service, "/status")).body.market?.health ?? null;

    it("if there is no market", async () => {
      const none = serviceOf();
      expect((await refusals(none)).slice(0, 2)).toEqual([502, "NO_DATA"]);
      expect(await healthOf(none)).toBeNull();
      for (const path of ["/market", "/market/", "/market/other", "/market/activity/1"])
        expect((await ask(none, path)).status).toBe(404);
    });

    it("before its subgraph has caught up, except for blocks that are indexed", async () => {
      const market = await makeMarket(database);
      const service = serviceOf(market);
      expect((await refusals(service)).slice(0, 3)).toEqual([503, "UNAVAILABLE", "30"]);
      expect(await healthOf(service)).toBe("behind");
      await market.commit(5, [balance(alice, tokens, 1n, 1n, 5)], false);
      expect(await refusals(service)).toEqual([
        503,
        "UNAVAILABLE",
        "30",
        "Subgraph market/1.0.0 has not caught up with polygon yet: it is at block 5. Try again later.",
      ]);
      const query = { address: alice, as_of_block: 5 };
      expect((await ask(service, "/market/balances", query)).body.data).toHaveLength(1);
      expect((await ask(service, "/market/balances", { ...query, as_of_block: 6 })).status).toBe(503);
      expect((await ask(service, "/market/activity", { address: alice, end_block: 5 })).status).toBe(200);
      expect((await ask(service, "/market/activity", { address: alice, end_block: 6 })).status).toBe(503);
      await market.commit(6);
      expect((await ask(service, "/market/positions", { address: alice })).status).toBe(200);
      expect(await healthOf(service)).toBe("healthy");
    });

    it("after its subgraph has failed", async () => {
      const market = await makeMarket(database);
      const service = serviceOf(market);
      await market.commit(7);
      const { id } = market.deployment;
      const error = { message: "overflow", block: { number: 7 }, deterministic: true };
      await recordFatalError(database, id, error);
      expect(await refusals(service)).toEqual([
        503,
        "UNAVAILABLE",
        "60",
        "Subgraph market/1.0.0 has failed, and stopped at block 7. Correct it, and deploy it again.",
      ]);
      expect(await healthOf(service)).toBe("failed");
      await market.commit(8);
      // A node that fails for a moment takes nothing from what is there.
      await recordRetriedError(database, id, { ...error, deterministic: false });
      expect((await ask(service, "/market/activity", { address: alice })).status).toBe(200);
      expect(await healthOf(service)).toBe("retrying");
    });

    it("from the block at which a handler failed", async () => {
      const market = await makeMarket(database);
      const service = serviceOf(market);
      for (const block of [7, 8, 9]) await market.commit(block);
      await database.query(
        SQL`update graphloom.deployments set first_error_block = 8 where id = $1::integer`,
        [String(market.deployment.id)],
      );
      const [status, code, , message] = await refusals(service);
      expect([status, code]).toEqual([503, "UNAVAILABLE"]);
      expect(message).toContain("failed at block 8");
      expect(await healthOf(service)).toBe("unhealthy");
      expect((await ask(service, "/market/balances", { address: alice, as_of_block: 7 })).status).toBe(200);
      expect((await ask(service, "/market/balances", { address: alice, as_of_block: 8 })).status).toBe(503);
    });

    it("after its subgraph was removed, or while the database fails", async () => {
      const market = await makeMarket(database);
      const service = serviceOf(market);
      await market.commit(1);
      const table = SQL`${quoted(market, "activity")}`;
      await database.run(SQL`alter table ${table} rename to gone`);
      const failed = await ask(service, "/market/activity");
      expect([failed.status, failed.body.error.code]).toEqual([502, "UPSTREAM_ERROR"]);
      expect(JSON.stringify(failed.body)).not.toContain("sgd");
      await database.query(SQL`delete from graphloom.deployments where id = $1::integer`, [
        String(market.deployment.id),
      ]);
      expect((await refusals(service)).slice(0, 2)).toEqual([502, "NO_DATA"]);
      expect(await healthOf(service)).toBe("removed");
    });
  });

  it("the data service reports how far the market is indexed", async () => {
    const market = await makeMarket(database);
    await market.commit(50);
    await market.commit(1_000);
    const asked = await ask(serviceOf(market), "/status");
    expectFits("/status", asked);
    expect(asked.body.market).toEqual({
      subgraph: "market/1.0.0",
      build: market.deployment.deployment,
      chain: "polygon",
      health: "healthy",
      indexed_from: 0,
      indexed_to: 1_000,
      final_to: 744,
      head_lag_seconds: 0,
      capabilities: { history_from: 0 },
    });
  });

  describe("is found", () => {
    const build = (market: MadeMarket): string => market.deployment.deployment;
    let [one, two]: readonly MadeMarket[] = [];
    let names: SubgraphNames;
    beforeAll(async () => {
      const made = [await makeMarket(database), await makeMarket(database)] as const;
      [one, two] = made;
      const of = (market: MadeMarket, version: string, engine = "embedded") => ({
        version,
        engine,
        deployment: build(market),
      });
      const known: Readonly<Record<string, ReturnType<typeof of>[]>> = {
        market: [of(made[0], "1.0.0"), of(made[1], "2.0.0"), of(made[1], "prod")],
        single: [of(made[0], "1.0.0"), of(made[0], "prod")],
        foreign: [of(made[0], "1.0.0", "graph-node")],
        twice: [of(made[0], "1.0.0"), of(made[1], "1.0.0")],
        run: [of(made[1], ""), of(made[0], "1.0.0")],
      };
      names = {
        named: async (name) => known[name] ?? [],
        all: async () => Object.keys(known),
        isPaused: async () => false,
      };
    });

    it("by its name and version, by its name alone, and by its build", async () => {
      const found = async (wanted: string): Promise<string> =>
        (await findMarket(database, names, wanted)).deployment;
      expect(await found("market/1.0.0")).toBe(one && build(one));
      expect(await found("market/prod")).toBe(two && build(two));
      expect(await found("single")).toBe(one && build(one));
      expect(await found("run")).toBe(two && build(two));
      expect(await found("run/1.0.0")).toBe(one && build(one));
      expect(await found((two && build(two)) ?? "")).toBe(two && build(two));
    });

    it.each([
      [
        "market",
        'Subgraph "market" has several versions. Choose one: market/1.0.0, market/2.0.0, market/prod.',
      ],
      ["market/3.0.0", 'Subgraph "market" has no version or tag "3.0.0". It has 1.0.0, 2.0.0, prod.'],
      ["markets", 'The database has no subgraph "markets". It has market, single, foreign, twice, run.'],
      [
        "twice/1.0.0",
        'Several builds are called "twice/1.0.0": in different projects, on different chains, or from graphloom run. Pass the deployment id',
      ],
      ["foreign", 'Subgraph "foreign" cannot be read: a graph-node indexes it'],
    ])("only if it exists: %s", async (wanted, message) => {
      await expect(findMarket(database, names, wanted)).rejects.toThrow(message);
    });

    it("only where its schema has the types of a market", async () => {
      const misfit = await makeMarket(database, {
        schema: `
          type Activity @entity { id: ID!, block: BigInt!, eventType: String }
          type Balance @entity(immutable: true) {
            id: ID!, address: String!, contractAddress: String!, tokenId: String!, balance: BigInt!, block: BigInt!, timestamp: BigInt!
          }`,
      });
      expect(() => serviceOf(misfit)).toThrow(
        /^Subgraph market\/1\.0\.0 keeps no market: its schema lacks Activity\.timestamp: BigInt, .*Activity\.eventType: String!, .*Activity\.builder: String, Balance\.tokenId: BigInt!, an entity type Position\. Name a subgraph/,
      );
    });
  });
});

describe.skipIf(postgresMissing !== undefined)("graphloom data serve --market", () => {
  it("serves the market of a subgraph, and refuses to start without it", async () => {
    const place = await serverDatabase();
    const database = await openOwnDatabase(place, createNodeWorld());
    onTestFinished(() => database.close());
    const market = await makeMarket(database);
    await market.commit(3, [balance(alice, tokens, 5n, 7n, 3)]);
    const build = market.deployment.deployment;
    const line = (wanted: string): string => `data serve --market ${wanted} --port 0 --database ${place}`;
    const refused = await graphloom(workplace(), line("markets/1.0.0"));
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.err).toContain(`--market: The database has no subgraph "markets/1.0.0". It has ${build}.`);
    const controller = new AbortController();
    let answer: Promise<Response> | undefined;
    const { code } = await graphloom(workplace(), line(build), {
      env: { GRAPHLOOM_DATA_SERVICE_KEY: dataKey },
      signal: controller.signal,
      onOut: (text) => {
        const [, address] = /answers at (\S+)/.exec(text) ?? [];
        answer ??= fetch(`${address}/market/balances?address=${alice}&key=${dataKey}`);
        answer.finally(() => controller.abort()).catch(() => undefined);
      },
    });
    expect(code).toBe(0);
    const { data } = (await (await answer)?.json()) as { readonly data: readonly unknown[] };
    expect(data).toMatchObject([{ token_id: "5", balance: "7" }]);
  });
});

/** A time as RFC 3339. @param end what comes after the seconds */
function timeText(seconds: number, end: string): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${end}`;
}

function quoted({ deployment }: MadeMarket, table: string): ReturnType<typeof SQL> {
  return SQL`${quoteNames(deployment.namespace, table)}`;
}

/** Holds an answer against the OpenAPI document. */
function expectFits(path: string, { status, body }: Pick<Asked, "status" | "headers" | "body">): void {
  const { schema } = document.paths[path].get.responses[status].content["application/json"];
  let check = checks.get(schema.$ref);
  if (!check) {
    check = new Ajv2020({ strict: false, validateFormats: false }).compile({
      $ref: schema.$ref,
      components: document.components,
    });
    checks.set(schema.$ref, check);
  }
  expect(check(body), JSON.stringify(check.errors)).toBe(true);
}

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON
const document = openApiDocument("") as any;
const checks = new Map<string, ReturnType<Ajv2020["compile"]>>();
