import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Compilation } from "../../src/exports/index.js";
import { type Ran, runOn } from "../runtime/harness.js";
import { useAnvil } from "../support/chain/anvil.js";
import { postgresMissing } from "../support/database/postgres-server.js";
import { market, venues, zeroAddress, zeroHash } from "../support/market/contracts.js";
import { expectedMarket, type Row } from "../support/market/expected-market.js";
import { MarketChain } from "../support/market/market-chain.js";
import { matchSides, redemptionSides } from "../support/market/market-laws.js";
import { buildMarket, indexMarket, rowsOf, sorted } from "../support/market/market-subgraph.js";
import { RandomMarket } from "../support/market/random-market.js";
import { campaignTimeout, isMarketCampaign, marketSeeds } from "../support/market/seeds.js";
import { askAll, deployMarket } from "../support/market/served-market.js";
import { type Condition, SimulatedMarket } from "../support/market/simulated-market.js";
import { drawFrom } from "../support/pool/draw.js";

/** How many transactions a random market has: `npm run campaign:market` plays more. */
const transactions = Number(process.env.GRAPHLOOM_MARKET_TRANSACTIONS ?? 45);

const anvil = useAnvil();
let built: Compilation;
let chain: MarketChain;

beforeAll(async () => {
  built = await buildMarket();
  chain = await MarketChain.on(anvil());
});

/** The entities as of a block must be those of the independent fold. */
async function expectAsFolded(ran: Ran, block: number): Promise<void> {
  const logs = await chain.logs();
  const expected = expectedMarket(logs.filter((log) => log.block <= block));
  expect(await rowsOf(ran, "Activity", block)).toEqual(sorted(expected.activity));
  expect(await rowsOf(ran, "Balance", block)).toEqual(sorted(expected.balances));
  expect(await rowsOf(ran, "Position", block)).toEqual(sorted(expected.positions));
  await expectLawful(ran, block);
}

/** The rows must obey laws of money, which the fold does not know. */
async function expectLawful(ran: Ran, block: number): Promise<void> {
  const logs = (await chain.logs()).filter((log) => log.block <= block);
  const activity = await rowsOf(ran, "Activity", block);
  for (const { log, payout, booked } of redemptionSides(logs, activity)) expect(booked, log).toBe(payout);
  for (const { log, isBuy, shares, usdc } of matchSides(logs, activity)) {
    expect(shares[0], log).toBe(shares[1]);
    // A buyer may get a part of the offer back, of which there is no event.
    if (isBuy) expect(usdc[0], log).toBeGreaterThanOrEqual(usdc[1]);
    else expect(usdc[0], log).toBe(usdc[1]);
  }
}

describe("a random market", isMarketCampaign ? { timeout: campaignTimeout } : {}, () => {
  it.each(
    marketSeeds,
  )("market %i has the entities of an independent calculation, at all heights and through a reorganisation", async (seed) => {
    const empty = await anvil().snapshot();
    // The next market begins anew, also if this one fails.
    onTestFinished(() => anvil().revert(empty));
    const draw = drawFrom(seed);
    const first = new RandomMarket(draw);
    for (const logs of first.open()) await chain.block(logs);
    await chain.live(first, draw, transactions / 3);
    const fork = await anvil().snapshot();
    const common = await anvil().blockNumber();
    const second = first.fork(drawFrom(seed + 1_000_000));
    await chain.live(first, draw, transactions / 3);
    const ran = await indexMarket(anvil(), built);
    await expectAsFolded(ran, await anvil().blockNumber());
    await anvil().revert(fork);
    await chain.live(second, draw, transactions / 3);
    const again = await indexMarket(anvil(), built, ran.store);
    expect(again.progress.reverted).toBeGreaterThan(0);
    const head = await anvil().blockNumber();
    for (const block of [head, common, common + draw.below(head - common)]) {
      await expectAsFolded(again, block);
    }
  });
});

describe("mistakes that others made", () => {
  const [ann, bob, cleo] = [`0x${"d1".repeat(20)}`, `0x${"d2".repeat(20)}`, `0x${"d3".repeat(20)}`] as const;
  const order = (digit: number): string => `0x${String(digit).repeat(64)}`;
  const simulated = new SimulatedMarket();
  /** The activity of each transaction, by what it is for. */
  const activity = new Map<string, readonly Row[]>();
  const blocks = new Map<string, number>();
  const names: string[] = [];
  let open: Condition;
  let won: Condition;
  let negRisk: Condition;
  let ran: Ran;

  /** Mines what the contracts have emitted since the last call, as one transaction. */
  async function mine(name: string): Promise<void> {
    names.push(name);
    await chain.block(simulated.take());
    blocks.set(name, await anvil().blockNumber());
  }

  async function position(owner: string, token: bigint, at?: string): Promise<Row | undefined> {
    const rows = await rowsOf(ran, "Position", at === undefined ? undefined : blocks.get(at));
    return rows.find(({ id }) => id === `${owner}-${token}`);
  }

  const fill = { isComplementary: true, usdc: 40n, shares: 100n, fee: 0n };

  beforeAll(async () => {
    open = simulated.prepare();
    won = simulated.prepare();
    negRisk = simulated.prepareQuestion(simulated.prepareNegRisk());
    for (const owner of [ann, bob, cleo]) {
      simulated.split(owner, open, 1_000_000n);
      simulated.split(owner, won, 1_000n);
      simulated.adapterSplit(owner, negRisk, 1_000_000n);
    }
    await mine("opening");

    const makers = [
      { ...fill, order: order(1), maker: bob },
      { ...fill, order: order(2), maker: cleo, isComplementary: false },
    ];
    simulated.match1(
      { condition: open, outcome: 0, isBuy: true, order: order(3), taker: ann, makers, fee: 0n },
      false,
    );
    await mine("match");
    simulated.match1(
      { condition: negRisk, outcome: 0, isBuy: false, order: order(4), taker: ann, makers, fee: 0n },
      false,
    );
    await mine("neg-risk match");
    simulated.match2(
      { condition: negRisk, outcome: 1, isBuy: true, order: order(5), taker: ann, makers, fee: 3n },
      market.thirdExchange2,
    );
    await mine("match of the second version");

    const twice = { ...fill, order: order(6), maker: bob, usdc: 5_000n, shares: 10_000n };
    const refunded = [
      { ...twice, fee: 70n, refund: 20n },
      { ...twice, fee: 60n, refund: 60n },
    ];
    const match = { condition: open, outcome: 0, isBuy: true, taker: ann, makers: refunded } as const;
    simulated.match1({ ...match, order: order(7), fee: 90n, refund: 9n }, true);
    simulated.match1({ ...match, order: order(7), fee: 80n, refund: 8n }, true);
    await mine("refunds");

    simulated.merge(bob, open, 300_000n);
    await mine("merge");
    simulated.adapterSplit(bob, negRisk, 7_000n);
    simulated.adapterMerge(bob, negRisk, 5_000n);
    await mine("adapter");
    simulated.wrappedSplit(cleo, open, 7_000n);
    simulated.wrappedMerge(cleo, open, 5_000n);
    simulated.wrappedSplit(cleo, negRisk, 3_000n);
    await mine("wrapped");

    simulated.resolve(won, [1n, 0n]);
    await mine("resolution");
    simulated.redeem(bob, won);
    await mine("redemption");
    simulated.redeem(cleo, won, [2n]);
    await mine("redemption of the loser");

    simulated.redeem(ann, won, [1n, 1n, 2n, 1n]);
    await mine("redemption of equal index sets");
    simulated.split(bob, won, 500n);
    simulated.nestedSplit(bob, won, 0, 200n);
    simulated.redeem(bob, won, [1n]);
    simulated.split(bob, won, 500n);
    simulated.nestedSplit(bob, won, 0, 500n);
    simulated.redeem(bob, won, [1n, 1n]);
    await mine("redemptions after burns of splits");

    const foreign = `0x${"fe".repeat(20)}`;
    simulated.batch(ann, zeroAddress, ann, [71n, 72n], [9_000n, 9_000n]);
    simulated.emit(market.conditionalTokens, "split", [ann, foreign, zeroHash, open.id, [1n, 2n], 9_000n]);
    await mine("foreign collateral");

    // Two changes of one position in a block, and two blocks of one second.
    const buys = (number: number): void =>
      simulated.match2(
        {
          condition: open,
          outcome: 0,
          isBuy: true,
          order: order(8),
          taker: ann,
          fee: 0n,
          makers: [{ ...fill, order: order(9), maker: bob, usdc: BigInt(number) * 10n }],
        },
        market.exchange2,
      );
    buys(1);
    const first = simulated.take();
    buys(2);
    await chain.block(first, simulated.take());
    blocks.set("two in a block", await anvil().blockNumber());
    await anvil().rpc("anvil_setBlockTimestampInterval", 0);
    buys(3);
    await mine("one second");
    buys(4);
    await mine("the same second");
    await anvil().rpc("anvil_setBlockTimestampInterval", 12);

    ran = await indexMarket(anvil(), built);
    const rows = await rowsOf(ran, "Activity");
    for (const name of names) {
      const of = rows.filter(({ block }) => block === BigInt(blocks.get(name) ?? 0));
      activity.set(
        name,
        [...of].sort((one, other) => Number(one.logIndex) - Number(other.logIndex)),
      );
    }
  });

  const of = (name: string): readonly Row[] => activity.get(name) ?? [];
  const columns = (name: string, ...wanted: readonly string[]): unknown =>
    of(name).map((row) => wanted.map((column) => row[column]));

  it("agrees with the independent fold", () => expectAsFolded(ran, Math.max(...blocks.values())));

  it("counts each side of a match once", () => {
    expect(columns("match", "address", "orderType", "counterparty")).toEqual([
      [bob, "maker", ann],
      [cleo, "maker", ann],
      [ann, "taker", undefined],
    ]);
  });

  it("takes collateral as the value of both sides", () => {
    expect(columns("match", "side", "amountUsdc", "amountShares")).toEqual([
      ["SELL", 40n, 100n],
      ["BUY", 40n, 100n],
      ["BUY", 100n, 200n],
    ]);
    expect(columns("neg-risk match", "side", "amountUsdc", "amountShares")).toEqual([
      ["BUY", 40n, 100n],
      ["SELL", 40n, 100n],
      ["SELL", 100n, 200n],
    ]);
  });

  it("never records an exchange or an adapter as the user", async () => {
    for (const name of ["match", "neg-risk match", "match of the second version"]) {
      expect(columns(name, "eventType")).toEqual([["TRADE"], ["TRADE"], ["TRADE"]]);
    }
    const addresses = (await rowsOf(ran, "Activity")).map(({ address }) => String(address));
    expect(addresses.filter((address) => venues.has(address))).toEqual([]);
    const holders = (await rowsOf(ran, "Position")).map(({ address }) => String(address));
    expect(holders.filter((address) => venues.has(address))).toEqual([]);
  });

  it("counts a split through an adapter once, for the wallet", () => {
    expect(columns("adapter", "eventType", "address", "amountShares")).toEqual([
      ["SPLIT", bob, 7_000n],
      ["MERGE", bob, 5_000n],
    ]);
    expect(columns("wrapped", "eventType", "address", "amountShares")).toEqual([
      ["SPLIT", cleo, 7_000n],
      ["MERGE", cleo, 5_000n],
      ["SPLIT", cleo, 3_000n],
    ]);
  });

  it("books a merge as a sale", async () => {
    expect(columns("merge", "eventType", "side", "amountUsdc")).toEqual([["MERGE", "SELL", 300_000n]]);
    for (const token of open.tokens) {
      const [before, after] = [await position(bob, token, "refunds"), await position(bob, token, "merge")];
      expect(BigInt(after?.amount ?? 0)).toBe(BigInt(before?.amount ?? 0) - 300_000n);
      expect(after?.totalBought).toBe(before?.totalBought);
    }
  });

  it("subtracts refunds from the fee of the fill that they belong to", () => {
    expect(columns("refunds", "orderType", "fee", "feeAsset")).toEqual([
      ["maker", 50n, "collateral"],
      ["maker", 0n, undefined],
      ["taker", 81n, "token"],
      ["maker", 50n, "collateral"],
      ["maker", 0n, undefined],
      ["taker", 72n, "token"],
    ]);
  });

  it("keeps two changes in one block, and two blocks in one second, in their order", async () => {
    const token = open.tokens[0];
    const bought = async (at: string): Promise<bigint> =>
      BigInt((await position(ann, token, at))?.totalBought ?? 0);
    const before = await bought("foreign collateral");
    expect(await bought("two in a block")).toBe(before + 200n);
    expect(await bought("one second")).toBe(before + 300n);
    expect(await bought("the same second")).toBe(before + 400n);
    const [one, other] = [of("one second"), of("the same second")];
    expect(one[0]?.timestamp).toBe(other[0]?.timestamp);
  });

  it("has a row for each redeemed token", () => {
    expect(columns("redemption", "tokenId", "amountUsdc", "amountShares", "part")).toEqual([
      [won.tokens[0], 1_000n, 1_000n, 0],
      [won.tokens[1], 0n, 1_000n, 1],
    ]);
  });

  it("books a redemption that names an index set twice once", () => {
    expect(
      columns("redemption of equal index sets", "tokenId", "amountUsdc", "amountShares", "part"),
    ).toEqual([
      [won.tokens[0], 1_000n, 1_000n, 0],
      [won.tokens[1], 0n, 1_000n, 1],
    ]);
  });

  it("does not count tokens that a split burnt in the same transaction as redeemed", () => {
    const redeemed = of("redemptions after burns of splits").filter(
      ({ eventType }) => eventType === "REDEEM",
    );
    expect(redeemed.map(({ amountUsdc, amountShares }) => [amountUsdc, amountShares])).toEqual([
      [300n, 300n],
    ]);
  });

  it("keeps a winner open that was not redeemed", async () => {
    expect((await position(cleo, won.tokens[0]))?.amount).toBe(1_000n);
    expect(await position(cleo, won.tokens[1])).toMatchObject({ amount: 0n, realizedPnl: -500n });
    expect(await position(bob, won.tokens[0], "redemption")).toMatchObject({ amount: 0n, realizedPnl: 500n });
  });

  it("ignores collateral of other contracts", async () => {
    expect(of("foreign collateral")).toEqual([]);
    const held = (await rowsOf(ran, "Balance")).filter(({ tokenId }) => tokenId === 71n);
    expect(held.map(({ address, balance }) => [address, balance])).toEqual([[ann, 9_000n]]);
  });

  it.skipIf(postgresMissing !== undefined)(
    "is available to the keys of the project that deployed it",
    async () => {
      const service = await deployMarket(built, anvil());
      const last = Math.max(...blocks.values());
      const past = blocks.get("refunds") ?? 0;
      const logs = await chain.logs();
      const [now, then] = [last, past].map((block) =>
        expectedMarket(logs.filter((log) => log.block <= block)),
      );
      for (const address of [ann, bob, cleo]) {
        const own = (rows: readonly Row[] = []): readonly Row[] =>
          rows.filter((row) => row.address === address);
        const activity = await askAll(service, "/market/activity", { address, limit: 7 });
        const places = own(now?.activity).map(({ id, block, logIndex, part }) => ({
          id,
          place: [Number(block), Number(logIndex), Number(part)],
        }));
        places.sort(
          ({ place: [a = 0, b = 0, c = 0] }, { place: [x = 0, y = 0, z = 0] }) => x - a || y - b || z - c,
        );
        expect(activity.map(({ id }) => id)).toEqual(places.map(({ id }) => id));
        const known = new Map(own(now?.activity).map((row) => [row.id, row]));
        for (const { id, amount_usdc, amount_shares, price, fee, fee_asset } of activity) {
          const { amountUsdc, amountShares, fee: charged, feeAsset } = known.get(String(id)) ?? {};
          const [usdc, shares] = [Number(amountUsdc), Number(amountShares)];
          expect([amount_usdc, amount_shares, price]).toEqual([usdc / 1e6, shares / 1e6, usdc / shares]);
          expect(fee_asset).toBe(feeAsset ?? null);
          const inUsdc = feeAsset === "token" ? (Number(charged) * usdc) / shares : Number(charged);
          if (charged == null) expect(fee).toBeNull();
          else expect(fee).toBeCloseTo(inUsdc / 1e6, 15);
        }
        const texts = (rows: readonly Row[], ...fields: readonly string[]): readonly string[] =>
          rows.map((row) => fields.map((field) => String(row[field])).join(" ")).sort();
        for (const [market, query] of [
          [now, {}],
          [then, { as_of_block: past }],
        ] as const) {
          const held = await askAll(service, "/market/balances", {
            address,
            min_balance: 0,
            limit: 2,
            ...query,
          });
          expect(
            texts(held as readonly Row[], "token_id", "balance", "contract_address", "block_number"),
          ).toEqual(texts(own(market?.balances), "tokenId", "balance", "contractAddress", "block"));
        }
        const traded = await askAll(service, "/market/positions", { address, include_zero: true, limit: 2 });
        expect(
          texts(traded as readonly Row[], "token_id", "amount", "avg_price", "realized_pnl", "total_bought"),
        ).toEqual(texts(own(now?.positions), "tokenId", "amount", "avgPrice", "realizedPnl", "totalBought"));
      }
    },
  );

  it("fails when a transfer is missing", async () => {
    const fork = await anvil().snapshot();
    simulated.emit(market.conditionalTokens, "single", [ann, ann, bob, 71n, 9_001n]);
    await chain.block(simulated.take());
    const { failure } = await runOn(anvil(), built, { store: ran.store });
    expect(failure?.error.message).toContain("is negative: a transfer is missing");
    await anvil().revert(fork);
  });
});
