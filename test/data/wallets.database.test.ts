import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { openPriceFeed } from "../../src/cli/reader/open-price-feed.js";
import { readTableToImport } from "../../src/data/catalog/import-table.js";
import { fillingClickHouse } from "../../src/data/clickhouse/filling-clickhouse.js";
import { postgresPlace } from "../../src/data/filling/postgres-place.js";
import type { DataNode } from "../../src/data/nodes/data-node.js";
import { openApiDocument } from "../../src/data/openapi/openapi-document.js";
import { createPriceKeeper } from "../../src/data/prices/price-keeper.js";
import { createDataService, type DataService } from "../../src/data/service/data-service.js";
import { ChainError } from "../../src/runtime/chain/chain.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { createOutgoing } from "../../src/web/outgoing/outgoing.js";
import { type Asked, ask, dataKey } from "../support/data/asked.js";
import { ClickHouseRows } from "../support/data/clickhouse-rows.js";
import { hashOf, type MadeChain, timeOf } from "../support/data/made-chain.js";
import { describeRows, type MadeRows } from "../support/data/made-rows.js";
import { world } from "../support/database/databases.js";

const ethereum: MadeChain = { chain: "ethereum", head: 100, final: 60 };
const base: MadeChain = { chain: "base", head: 90, final: 60, firstBlock: 10 };
const address = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`;
const [wallet, other, native] = [address(1), address(2), address(0)];
const [stable, coin, wrapped, dust] = [address(0xa1), address(0xa2), address(0xa3), address(0xa4)];
const now = (timeOf(100) + 30) * 1000;
const transfers = "/feeds/wallets/transfers";
const balances = "/feeds/wallets/balances";

/** Reads a table, and writes it. */
async function importTable(to: Database, text: string, chain?: string): Promise<object> {
  const table = readTableToImport(text, chain);
  await table.write(to);
  return { kind: table.kind, rows: table.rows };
}

describeRows("the wallets of the data service", (fresh, isFirst) => {
  let database: Database;
  let rows: MadeRows;
  let service: DataService;

  beforeAll(async () => {
    ({ database, rows } = await fresh());
    await rows.makeChain(ethereum);
    await rows.makeChain(base);
    await rows.putTransfers("ethereum", [
      { block: 10, transaction: 0, log: 0, from: other, to: wallet, token: stable, amount: 5_000_000n },
      // To oneself, and two equal ones in one transaction.
      { block: 12, transaction: 1, log: 3, from: wallet, to: wallet, token: stable, amount: 1n },
      { block: 14, transaction: 0, log: 0, from: wallet, to: other, token: stable, amount: 7n },
      { block: 14, transaction: 0, log: 1, from: wallet, to: other, token: stable, amount: 7n },
      { block: 14, transaction: 1, from: other, to: wallet, token: native, amount: 9n },
      { block: 15, transaction: 0, log: 0, from: other, to: wallet, token: coin, amount: 3n * 10n ** 18n },
      { block: 16, transaction: 0, log: 0, from: other, to: wallet, token: dust, amount: 10n },
      { block: 17, transaction: 0, log: 0, from: other, to: wallet, token: wrapped, amount: 0n },
    ]);
    await rows.putTransfers("base", [
      { block: 14, transaction: 0, log: 0, from: other, to: wallet, token: stable, amount: 2_000_000n },
    ]);
    const tokens = `chain,token,symbol,name,decimals,canonical_id,stable
ethereum,${stable},USDX,"Dollar, ""X""",6,,true
base,${stable},USDX,Dollar,6,,true
ethereum,${coin},COIN,Coin,18,coin,false
ethereum,${wrapped},wCOIN,Wrapped,18,coin,false
ethereum,${native},ETH,Ether,18,ether,false
`;
    const prices = `token,time,usd
${coin},${timeOf(15)},0.1
${coin},${timeOf(100) - 60},0.3
`;
    await importTable(database, tokens);
    await importTable(database, prices, "mainnet");
    await importTable(database, `address,label\n${other},Exchange\n`);
    service = serviceWith();
  });

  afterAll(() => rows.drop("ethereum", "base"));

  it("the data service looks for tokens up to the last transfer, which may be far behind the last block", async () => {
    const { tokens } = rows instanceof ClickHouseRows ? fillingClickHouse(rows.at) : postgresPlace(database);
    expect(await tokens.head("base")).toEqual({
      last: 14,
      newest: { number: 90, hash: hashOf(base, 90) },
    });
    expect(await tokens.head("ethereum")).toEqual({
      last: 17,
      newest: { number: 100, hash: hashOf(ethereum, 100) },
    });
  });

  it("an audit draws the same sample of wallets from either database, with balances and transfers", async () => {
    const audit = rows.audit();
    const draw = { chain: "ethereum", wallets: 10, seed: "2" };
    const digest = (one: string): string => createHash("md5").update(`2 ${one}`).digest("hex");
    const drawn = [wallet, other].sort((one, another) => (digest(one) < digest(another) ? -1 : 1));
    const holdings = [
      { token: stable, symbol: "USDX", sum: 4_999_986n },
      { token: coin, symbol: "COIN", sum: 3n * 10n ** 18n },
      { token: wrapped, symbol: "wCOIN", sum: 0n },
      { token: dust, symbol: null, sum: 10n },
    ].flatMap(({ sum, ...token }) =>
      drawn.map((one) => ({ ...token, wallet: one, sum: one === wallet ? sum : -sum })),
    );
    expect(await audit.draw(draw)).toEqual({
      block: { number: 100, hash: hashOf(ethereum, 100), timestamp: timeOf(100) },
      holdings,
      start: { number: 0, hash: hashOf(ethereum, 0) },
    });
    const few = await audit.draw({ ...draw, wallets: 1, tokens: [coin, dust] });
    expect(few?.holdings).toEqual(
      holdings.filter(({ token, wallet: one }) => one === drawn[0] && [coin, dust].includes(token)),
    );
    expect((await audit.draw({ ...draw, chain: "base" }))?.start).toEqual({
      number: 9,
      hash: hashOf(base, 9),
    });
    expect(await audit.draw({ ...draw, chain: "matic" })).toBeUndefined();
    const move = (number: number, amount: bigint): object => ({
      number,
      hash: hashOf(ethereum, number),
      parentHash: hashOf(ethereum, number - 1),
      amount,
    });
    const moves = (block: number): Promise<readonly object[]> =>
      audit.moves("ethereum", { wallet, token: stable }, block);
    expect(await moves(100)).toEqual([move(14, -14n), move(12, 0n), move(10, 5_000_000n)]);
    expect(await moves(12)).toEqual([move(12, 0n), move(10, 5_000_000n)]);
    expect(await audit.hashOf("ethereum", 14)).toBe(hashOf(ethereum, 14));
    expect(await audit.hashOf("ethereum", 101)).toBeUndefined();
  });

  function serviceWith(nodes: ReadonlyMap<string, DataNode> = new Map(), at = now): DataService {
    return createDataService({
      store: rows.store(),
      key: dataKey,
      nodes,
      now: () => at,
    });
  }

  /** The rows of an answer in short. */
  const moved = ({ body }: Asked): readonly string[] =>
    body.data.map(
      (row: Readonly<Record<string, string>>) =>
        `${row.chain} ${row.block_number} ${row.direction} ${row.amount_raw} ${row.token_symbol ?? "?"}`,
    );
  const held = ({ body }: Asked): readonly string[] =>
    body.data.map(
      (row: Readonly<Record<string, string>>) =>
        `${row.chain} ${row.balance_raw} ${row.token_symbol ?? "?"} ${row.value_usd}`,
    );

  const newestFirst = [
    "ethereum 17 in 0 wCOIN",
    // The two have the same time.
    "base 14 in 2000000 USDX",
    "ethereum 15 in 3000000000000000000 COIN",
    "ethereum 14 in 9 ETH",
    "ethereum 14 out 7 USDX",
    "ethereum 14 out 7 USDX",
    "ethereum 12 in 1 USDX",
    "ethereum 12 out 1 USDX",
    "ethereum 10 in 5000000 USDX",
  ];

  it("the data service shows what a wallet moved on all chains, newest first, and a transfer to oneself as two rows", async () => {
    const answer = await ask(service, transfers, { address: wallet.toUpperCase().replace("0X", "0x") });
    expect(answer.status).toBe(200);
    expectFits(transfers, answer);
    expect(moved(answer)).toEqual(newestFirst);
    expect(answer.body.pagination).toEqual({ page_size: 100, next_page_token: null, prev_page_token: null });
    expect(answer.headers["x-blocks"]).toBe(
      [
        `base;number=90;hash="${hashOf(base, 90)}";time=${timeOf(90)}`,
        `ethereum;number=100;hash="${hashOf(ethereum, 100)}";time=${timeOf(100)}`,
      ].join(", "),
    );
    expect(answer.body.data[4]).toMatchObject({
      chain_family: "evm",
      from_address: wallet,
      to_address: other,
      from_label: null,
      to_label: "Exchange",
      token_name: 'Dollar, "X"',
      price_usd: 1,
      amount_usd: 0.000007,
    });
    // At the time of the transfer.
    expect(answer.body.data[2]).toMatchObject({ price_usd: 0.1, amount_usd: 0.3, token_decimals: 18 });
    const all = await ask(service, transfers, { address: wallet, include_unknown_price: true });
    expect(moved(all)).toContain("ethereum 16 in 10 ?");
  });

  it.each([
    [{ chains: "base" }, ["base 14 in 2000000 USDX"]],
    [
      { chains: "Mainnet,base", token_symbol: "coin,WCOIN" },
      newestFirst.filter((row) => row.includes("COIN")),
    ],
    [{ token_address: native }, ["ethereum 14 in 9 ETH"]],
    [{ chains: "ethereum", transfer_type: "native" }, ["ethereum 14 in 9 ETH"]],
    [{ transfer_type: "spl" }, []],
    [{ direction: "out" }, newestFirst.filter((row) => row.includes(" out "))],
    [{ chains: "ethereum", from_block: 12, to_block: 12 }, newestFirst.slice(6, 8)],
    [{ from: new Date(timeOf(15) * 1000).toISOString() }, newestFirst.filter((row) => / 1[4567] /.test(row))],
    [
      { to: new Date(timeOf(12) * 1000).toISOString().replace("Z", "+00:00") },
      newestFirst.filter((row) => / 1[012] /.test(row)),
    ],
    [{ from: "2030-01-01T00:00:00Z" }, []],
    [{ address: "5".repeat(43) }, []],
    [{ page_size: 0 }, []],
  ])("transfers are selected by %j", async (query, expected) => {
    const answer = await ask(service, transfers, { address: wallet, ...query });
    expect([answer.status, moved(answer)]).toEqual([200, expected]);
  });

  if (isFirst)
    it.each([
      [transfers, 400, "BAD_REQUEST", { address: undefined }],
      [transfers, 400, "BAD_REQUEST", { address: "0x12" }],
      [transfers, 400, "BAD_REQUEST", { transfer_type: "erc721" }],
      [transfers, 400, "BAD_REQUEST", { transfer_type: "erc20,erc1155" }],
      [transfers, 400, "BAD_REQUEST", { direction: "both" }],
      [transfers, 400, "BAD_REQUEST", { token_address: "USDX" }],
      [
        transfers,
        400,
        "BAD_REQUEST",
        { token_address: Array.from({ length: 101 }, (_, n) => address(n)).join(",") },
      ],
      [transfers, 400, "BAD_REQUEST", { from: "yesterday" }],
      [transfers, 400, "BAD_REQUEST", { from: "2026-02-31T25:00:00Z" }],
      [transfers, 400, "BAD_REQUEST", { include_unknown_price: "yes" }],
      [transfers, 400, "UNKNOWN_CHAIN", { chains: "nowhere" }],
      [transfers, 400, "INVALID_CURSOR", { page_token: "abc" }],
      [transfers, 422, "CONFLICTING_FILTERS", { from_block: 1 }],
      [transfers, 422, "CONFLICTING_FILTERS", { chains: "ethereum,base", to_block: 1 }],
      [transfers, 503, "UNAVAILABLE", { chains: "polygon" }],
      [balances, 400, "BAD_REQUEST", { min_value_usd: "much" }],
      [balances, 400, "INVALID_CURSOR", { page_token: "abc" }],
      [balances, 503, "UNAVAILABLE", { chains: "polygon" }],
    ])("balances and transfers are refused: %s %i %s %j", async (path, status, code, query) => {
      const answer = await ask(service, path, { address: wallet, ...query });
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      expectFits(path, answer);
      if (status !== 503) return;
      expect(answer.body.error.chains).toEqual(["polygon"]);
      expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
    });

  it("balances and transfers can be walked in both directions at the walk's blocks while new ones arrive", async () => {
    const pages: (readonly string[])[] = [];
    let page = await ask(service, transfers, { address: wallet, page_size: 2 });
    const tokens: string[] = [];
    await rows.putTransfers("ethereum", [
      { block: 101, transaction: 0, log: 0, from: other, to: wallet, token: stable, amount: 1n },
    ]);
    await rows.place({ ...ethereum, head: 101 }, "transfers");
    for (;;) {
      pages.push(moved(page));
      if (page.body.pagination.next_page_token === null) break;
      tokens.push(page.body.pagination.next_page_token);
      page = await ask(service, transfers, { page_token: tokens.at(-1), page_size: 2 });
    }
    expect(pages).toEqual([0, 2, 4, 6, 8].map((from) => newestFirst.slice(from, from + 2)));
    for (let index = pages.length - 2; index >= 0; index -= 1) {
      page = await ask(service, transfers, {
        page_token: page.body.pagination.prev_page_token,
        page_size: 2,
      });
      expect(moved(page)).toEqual(pages[index]);
    }
    expect(page.body.pagination.prev_page_token).toBeNull();
    page = await ask(service, transfers, {
      page_token: page.body.pagination.next_page_token,
      page_size: 1_001,
    });
    expect([moved(page), page.body.pagination.page_size]).toEqual([newestFirst.slice(2), 1_000]);
    const contrary = await ask(service, transfers, { page_token: tokens[0], direction: "in" });
    expect([contrary.status, contrary.body.error.code]).toEqual([400, "INVALID_CURSOR"]);
    expect((await ask(service, transfers, { page_token: tokens[0], address: wallet })).status).toBe(200);
    await rows.makeChain({ ...ethereum, branch: { name: "other", from: 99 } });
    const ended = await ask(service, transfers, { page_token: tokens[0] });
    expect([ended.status, ended.body.error.code, ended.body.error.chains]).toEqual([
      410,
      "REORGANISED",
      ["ethereum"],
    ]);
    await rows.makeChain(ethereum);
    await rows.cutTransfers("ethereum", 100);
  });

  it("a walk ends as soon as one of the tables has left its block", async () => {
    const { body } = await ask(service, transfers, { address: wallet, chains: "ethereum", page_size: 2 });
    await rows.place({ ...ethereum, branch: { name: "other", from: 99 } }, "transfers");
    const ended = await ask(service, transfers, { page_token: body.pagination.next_page_token });
    expect([ended.status, ended.body.error?.code]).toEqual([410, "REORGANISED"]);
    await rows.place(ethereum, "transfers");
    const again = await ask(service, transfers, { page_token: body.pagination.next_page_token });
    expect(again.status).toBe(200);
  });

  it("the data service returns exact amounts and sums of any size", async () => {
    const [owner, huge] = [address(8), address(0xc1)];
    const most = 2n ** 256n - 1n;
    const moved = { transaction: 4, from: other, to: owner, token: huge };
    await rows.putTransfers("ethereum", [
      { ...moved, block: 21, log: 0, amount: most },
      { ...moved, block: 21, log: 1, amount: most },
      { ...moved, block: 22, log: 0, from: owner, to: other, amount: most - 7n },
    ]);
    const query = { address: owner, chains: "ethereum", include_unknown_price: true };
    const { body } = await ask(service, transfers, query);
    expect(body.data.map((row: { readonly amount_raw: string }) => BigInt(row.amount_raw))).toEqual([
      most - 7n,
      most,
      most,
    ]);
    const held = await ask(service, balances, { ...query, token_address: huge });
    expect(held.body.data).toMatchObject([{ balance_raw: String(most + 7n) }]);
  });

  it("the data service returns balances of the last block that all tables have", async () => {
    // The transfers still have the rows of a block that the blocks have replaced, and of one after it.
    await rows.makeChain({ ...ethereum, branch: { name: "other", from: 99 } });
    await rows.place(ethereum, "transfers");
    const answer = await ask(service, transfers, { address: wallet, chains: "ethereum" });
    expect(answer.headers["x-block-number"]).toBe("98");
    await rows.makeChain(ethereum);
  });

  it("balances are sums of transfers if no node answers, but never for native currencies", async () => {
    const natives = await ask(service, balances, { address: wallet, chains: "ethereum" });
    expect([natives.status, natives.body.error.chains]).toEqual([503, ["ethereum"]]);
    expect(natives.headers["retry-after"]).toBe("10");
    const query = {
      address: wallet,
      chains: "ethereum",
      token_address: [stable, coin, wrapped, dust].join(","),
    };
    const answer = await ask(service, balances, query);
    expect(answer.status).toBe(200);
    expectFits(balances, answer);
    expect(held(answer)).toEqual(["ethereum 4999986 USDX 4.999986", "ethereum 3000000000000000000 COIN 0.9"]);
    expect(answer.body.total_value_usd).toBe(5.899986);
    expect(answer.body.data[0]).toMatchObject({
      block_number: 100,
      block_timestamp: new Date(timeOf(100) * 1000).toISOString().replace(".000", ""),
      price_usd: 1,
      last_priced_at: null,
    });
    const bucket = Math.floor((timeOf(100) - 60) / 60) * 60;
    expect(answer.body.data[1].last_priced_at).toBe(
      new Date(bucket * 1000).toISOString().replace(".000", ""),
    );
    const historical = await ask(service, balances, { ...query, include_historical: true });
    expect(held(historical).at(-1)).toBe("ethereum 0 wCOIN 0");
    const unpriced = await ask(service, balances, { ...query, include_unknown_price: true });
    expect(held(unpriced).at(-1)).toBe("ethereum 10 ? null");
    const worthy = await ask(service, balances, {
      ...query,
      include_unknown_price: true,
      min_value_usd: 0.9,
    });
    expect(held(worthy)).toHaveLength(2);
    const rich = await ask(service, balances, { ...query, min_value_usd: 0.900001 });
    expect([held(rich).length, rich.body.total_value_usd]).toEqual([1, 4.999986]);
    // The tables of base begin at block 10, so its sums are not balances.
    const partial = await ask(service, balances, { address: wallet, chains: "base" });
    expect([partial.status, partial.body.error.chains]).toEqual([503, ["base"]]);
  });

  it("balances include the price of a token that is in no list of tokens", async () => {
    const [owner, unlisted, spam] = [address(0xd1), address(0xd2), address(0xd3)];
    const moved = { block: 23, transaction: 5, from: other, to: owner, amount: 3n };
    await rows.putTransfers("ethereum", [
      { ...moved, log: 0, token: unlisted },
      { ...moved, log: 1, token: spam },
    ]);
    await importTable(database, `token,time,usd\n${unlisted},${timeOf(100) - 60},4\n`, "ethereum");
    const query = { address: owner, chains: "ethereum", token_address: `${unlisted},${spam}` };
    const { body } = await ask(service, balances, { ...query, include_unknown_price: true });
    expect(body.data).toMatchObject([
      { token_address: unlisted, price_usd: 4, value_usd: null },
      { token_address: spam, price_usd: null },
    ]);
  });

  it("balances show no price that is too old, and are not of later blocks", async () => {
    const query = { address: wallet, chains: "ethereum", token_address: coin };
    const [late] = (await ask(serviceWith(undefined, now + 4 * 3_600_000), balances, query)).body.data;
    expect([late.price_usd, late.value_usd, late.last_priced_at]).toEqual([null, null, null]);
    await rows.place({ ...ethereum, head: 14 }, "blocks");
    const early = await ask(service, balances, { ...query, token_address: `${coin},${stable}` });
    expect(held(early)).toEqual(["ethereum 4999986 USDX 4.999986"]);
    await rows.place(ethereum, "blocks");
  });

  it("balances from a node belong to that block, including the native currency", async () => {
    const asked: string[] = [];
    const node: DataNode = {
      call: async (contract, data, hash) => {
        asked.push(`${contract} ${hash}`);
        expect(data).toBe(`0x70a08231${wallet.slice(2).padStart(64, "0")}`);
        // One contract refuses to say.
        return contract === coin ? undefined : `0x${250n.toString(16).padStart(64, "0")}`;
      },
      create: async () => undefined,
      balance: async () => 2n * 10n ** 18n,
    };
    const knowing = serviceWith(new Map([["ethereum", node]]));
    const query = { address: wallet, chains: "ethereum" };
    const answer = await ask(knowing, balances, query);
    expect(held(answer)).toEqual([
      "ethereum 3000000000000000000 COIN 0.9",
      "ethereum 250 USDX 0.00025",
      "ethereum 250 wCOIN 7.5e-17",
      "ethereum 2000000000000000000 ETH null",
    ]);
    expect(new Set(asked.map((one) => one.split(" ")[1]))).toEqual(new Set([hashOf(ethereum, 100)]));
    const times = asked.length;
    const first = await ask(knowing, balances, { ...query, page_size: 3 });
    const second = await ask(knowing, balances, {
      page_token: first.body.pagination.next_page_token,
      page_size: 3,
    });
    expect([...held(first), ...held(second)]).toEqual(held(answer));
    expect(second.body.total_value_usd).toBe(first.body.total_value_usd);
    expect(second.body.pagination.next_page_token).toBeNull();
    const back = await ask(knowing, balances, {
      page_token: second.body.pagination.prev_page_token,
      page_size: 2,
    });
    expect(held(back)).toEqual(held(answer).slice(1, 3));
    // Balances of a block never change.
    expect(asked).toHaveLength(times);
    const broken: DataNode = {
      call: () => Promise.reject(new ChainError("down")),
      create: () => Promise.reject(new ChainError("down")),
      balance: () => Promise.reject(new ChainError("down")),
    };
    expect((await ask(serviceWith(new Map([["ethereum", broken]])), balances, query)).status).toBe(503);
  });

  it("balances include a node's tokens that arrived without a transfer, if they have a price or were requested", async () => {
    const [lost, weth, secret] = [address(0xe51), address(0xe52), address(0xe53)];
    const owner = address(0xe50);
    const node: DataNode = {
      call: async (contract, data) => {
        const isOwner = data.endsWith(owner.slice(2)) && [lost, weth, secret].includes(contract);
        return `0x${(isOwner ? 7n : 0n).toString(16).padStart(64, "0")}`;
      },
      create: async () => undefined,
      balance: async () => 0n,
    };
    await importTable(
      database,
      `chain,token,symbol,decimals,canonical_id,wraps_native\nethereum,${lost},LOST,0,coin,\nethereum,${weth},WETH,0,coin,true\n`,
    );
    const knowing = serviceWith(new Map([["ethereum", node]]));
    const query = { address: owner, chains: "ethereum" };
    const both = ["ethereum 7 LOST 2.1", "ethereum 7 WETH 2.1"];
    expect(held(await ask(knowing, balances, query))).toEqual(both);
    // Others that the wallet has never had are not among them, even if those of the past are wanted.
    const past = { ...query, include_historical: true, include_unknown_price: true };
    expect(held(await ask(knowing, balances, past))).toEqual([...both, "ethereum 0 ETH null"]);
    const named = { ...query, include_unknown_price: true, token_address: secret };
    expect(held(await ask(knowing, balances, named))).toEqual(["ethereum 7 ? null"]);
    expect(held(await ask(knowing, balances, { ...query, token_symbol: "weth" }))).toEqual([both[1]]);
    // Without a node, deposits may be lacking, also those of a wallet without a transfer.
    const alone = await ask(service, balances, { ...query, token_address: `${lost},${weth}` });
    expect([alone.body.data, alone.body.omitted_tokens]).toEqual([
      [],
      [{ chain: "ethereum", token_address: weth, reason: "no_answer" }],
    ]);
    await rows.putTransfers("ethereum", [
      { block: 30, transaction: 0, log: 0, from: other, to: owner, token: weth, amount: 2n },
    ]);
    const partly = await ask(service, balances, { ...query, token_address: weth });
    expect([partly.body.data, partly.body.omitted_tokens]).toEqual([
      [],
      [{ chain: "ethereum", token_address: weth, reason: "no_answer" }],
    ]);
    await database.query(SQL`delete from graphloom.data_registry where token = any($1::text[])`, [
      `{${lost},${weth}}`,
    ]);
    await rows.cutTransfers("ethereum", 29);
  });

  if (isFirst)
    it("the data service takes prices from an HTTP source where the tables have none, with the source's time", async () => {
      const [owner, lone, unlisted, spam] = [address(9), address(0xb1), address(0xb2), address(0xb3)];
      await rows.putTransfers(
        "ethereum",
        [lone, unlisted, spam].map((token, log) => ({
          block: 20,
          transaction: 3,
          log,
          from: other,
          to: owner,
          token,
          amount: 10n,
        })),
      );
      await importTable(
        database,
        `chain,token,symbol,decimals,canonical_id\nethereum,${lone},LONE,1,lone\nethereum,${unlisted},LIST,1,unlisted\n`,
      );
      let said: unknown = "<html>";
      const asked: string[] = [];
      const source = createServer((request, response) => {
        asked.push(String(request.url));
        response.end(typeof said === "string" ? said : JSON.stringify(said));
      });
      await new Promise<void>((resolve) => source.listen(0, "127.0.0.1", resolve));
      const outgoing = createOutgoing({ allowsPrivate: true }, world);
      onTestFinished(() => {
        outgoing.close();
        source.close();
      });
      const { port } = source.address() as AddressInfo;
      const feed = openPriceFeed(`http://127.0.0.1:${port}/{chain}/{chain_id}?of={tokens}`, outgoing);
      const failures: string[] = [];
      const priced = (at: number): DataService =>
        createDataService({
          store: rows.store(),
          key: dataKey,
          now: () => at,
          priceKeeper: createPriceKeeper({
            database,
            feed,
            onFailure: (...failure) => failures.push(failure.join(": ")),
          }),
        });
      const query = { address: owner, chains: "ethereum", token_address: [lone, unlisted, spam].join(",") };
      const pricesOf = ({ body }: Asked): readonly unknown[] =>
        body.data.map((row: Readonly<Record<string, unknown>>) => [
          row.token_symbol,
          row.price_usd,
          row.last_priced_at,
        ]);
      const seconds = now / 1000;
      const saidOf = (usd: number, updated: number): object => ({
        [lone]: { usd, last_updated_at: updated },
      });
      const unpriced = [
        ["LONE", null, null],
        ["LIST", null, null],
      ];

      // What fails, is too old, or is of the future, leaves tokens without a price.
      const begun = await ask(priced(now), balances, { ...query, page_size: 1 });
      expect(pricesOf(begun)).toEqual([unpriced[0]]);
      expect(failures).toEqual(["ethereum: The answer is not a JSON object of tokens."]);
      for (const wrong of [saidOf(9, seconds - 4 * 3_600), saidOf(9, seconds + 3_600)]) {
        said = wrong;
        expect(pricesOf(await ask(priced(now), balances, query))).toEqual(unpriced);
      }
      // The spam has no canonical id, and is not asked for.
      expect(asked[0]).toBe(`/ethereum/1?of=${lone},${unlisted}`);

      said = saidOf(2.5, seconds + 13);
      const later = priced(now + 30_000);
      const found = await ask(later, balances, query);
      const asOf = new Date((seconds + 13) * 1000).toISOString().replace(".000", "");
      expect(pricesOf(found)).toEqual([["LONE", 2.5, asOf], unpriced[1]]);
      expect(found.body.total_value_usd).toBe(2.5);
      const times = asked.length;
      await ask(later, balances, query);
      expect(asked).toHaveLength(times);
      // A walk that began before goes on without it.
      said = { [unlisted]: { usd: 3, last_updated_at: seconds - 5 } };
      const known = await ask(priced(now + 31_000), balances, { ...query, token_address: unlisted });
      expect(known.body.data).toMatchObject([{ price_usd: 3 }]);
      const next = await ask(priced(now + 40_000), balances, {
        page_token: begun.body.pagination.next_page_token,
        page_size: 1,
      });
      expect(pricesOf(next)).toEqual([unpriced[1]]);
      const back = await ask(later, balances, {
        page_token: next.body.pagination.prev_page_token,
        page_size: 1,
      });
      expect(pricesOf(back)).toEqual([unpriced[0]]);
    });

  if (isFirst)
    it("files are imported only if every line is valid", async () => {
      const before = await database.query(SQL`select count(*) as rows from graphloom.data_prices`);
      for (const [text, fault] of [
        ["", "It is empty."],
        ["token,time,usd\n", "It has no rows."],
        [`token,time,usd\n${coin},0,1\n${coin},1,-1\n`, "Line 3: usd must be"],
        [`token,time,usd\n${coin},2026-01-01,1\n`, "Line 2: time must be"],
        [`token,time,usd\n0x12,1,1\n`, "Line 2: token must be"],
        [`token,time,usd\n${coin},1\n`, "Line 2 has 2 fields"],
        [`token,time,usd\n"${coin}" x,1,1\n`, "Line 2 has a quote"],
        [`token,when,usd\n${coin},1,1\n`, 'It has a column "when"'],
        [`[{"token":"${coin}","usd":1},]`, "It is not valid JSON"],
      ] as const)
        await expect(importTable(database, text, "ethereum")).rejects.toThrow(fault);
      await expect(importTable(database, `token,time,usd\n${coin},1,1\n`)).rejects.toThrow("chain must be");
      expect(await database.query(SQL`select count(*) as rows from graphloom.data_prices`)).toEqual(before);
      const json = JSON.stringify([{ chain: "base", token: coin, time: 61, usd: 0.5, source: null }]);
      expect(await importTable(database, json)).toEqual({ kind: "prices", rows: 1 });
      const [row] = await database.query(SQL`select * from graphloom.data_prices where chain = 'base'`);
      expect(row).toMatchObject({ token: coin, bucket: "60", usd: "0.5", source: "import" });
    });
});

/** Holds an answer against the OpenAPI document. */
function expectFits(path: string, { status, body }: Asked): void {
  // biome-ignore lint/suspicious/noExplicitAny: the document is JSON
  const document = openApiDocument("") as any;
  const { schema } = document.paths[path].get.responses[status].content["application/json"];
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const check = ajv.compile({ $ref: schema.$ref, components: document.components });
  expect(check(body), JSON.stringify(check.errors)).toBe(true);
}
