import { describe, expect, it } from "vitest";
import { exchanges, market, venues, zeroHash } from "../support/market/contracts.js";
import { expectedMarket, type Row } from "../support/market/expected-market.js";
import { matchSides, redemptionSides } from "../support/market/market-laws.js";
import type { MarketLog } from "../support/market/market-log.js";
import { placedLogs } from "../support/market/placed-logs.js";
import { RandomMarket, wallets } from "../support/market/random-market.js";
import { campaignTimeout, isMarketCampaign, marketSeeds } from "../support/market/seeds.js";
import { SimulatedMarket } from "../support/market/simulated-market.js";
import { drawFrom } from "../support/pool/draw.js";

const timeout = isMarketCampaign ? { timeout: campaignTimeout } : {};
const transactions = 120;
const one = 1_000_000n;

/** The markets of a seed that tests have played, by their options. */
const markets = new Map<string, ReturnType<typeof play>>();
let lastSeed: number | undefined;

/** A random market, and what the fold makes of it. Tests read it, and do not change it. */
function played(seed: number, options: object = {}) {
  if (seed !== lastSeed) markets.clear();
  lastSeed = seed;
  const key = JSON.stringify(options);
  const market = markets.get(key) ?? play(seed, options);
  markets.set(key, market);
  return market;
}

/** Plays a random market, one transaction in a block. */
function play(seed: number, options: object) {
  const random = new RandomMarket(drawFrom(seed), options);
  const blocks = random.open().map((logs) => [logs]);
  for (let number = 0; number < transactions; number++) blocks.push([random.next()]);
  const logs = placedLogs(blocks);
  return { random, logs, expected: expectedMarket(logs) };
}

function big(row: Row | undefined, name: string): bigint {
  return BigInt(row?.[name] ?? 0);
}

/** All of some numbers together. */
function sum(numbers: Iterable<bigint>): bigint {
  return [...numbers].reduce((total, number) => total + number, 0n);
}

/** What an activity paid or brought, without fees. */
function cashOf(row: Row): bigint {
  return row.side === "BUY" ? -big(row, "amountUsdc") : big(row, "amountUsdc");
}

it("the random markets contain all kinds of activity", () => {
  const { activity } = played(1).expected;
  expect(new Set(activity.map(({ eventType }) => eventType))).toEqual(
    new Set(["TRADE", "SPLIT", "MERGE", "REDEEM", "CONVERT"]),
  );
});

describe.each(marketSeeds)("the random market %i", timeout, (seed) => {
  it("records no activity of a contract", () => {
    const { activity } = played(seed).expected;
    expect(activity.length).toBeGreaterThan(50);
    expect(activity.filter(({ address }) => venues.has(String(address)))).toEqual([]);
  });

  it("has the same balances as the simulated contracts", () => {
    const { random, expected } = played(seed);
    const { balances } = expected;
    expect(balances.length).toBeGreaterThan(50);
    for (const row of balances) {
      const held = random.simulated.balance(String(row.address), big(row, "tokenId"));
      expect(row.balance, String(row.id)).toBe(held);
    }
  });

  it("pays out the deposits minus the locked collateral, for each condition", () => {
    const { random, logs, expected } = played(seed, { withFees: false, withConversions: false });
    const { activity } = expected;
    for (const condition of random.simulated.conditions) {
      const own = logs.filter(
        (log) =>
          ["split", "merge", "redemption"].includes(log.event) && log.text("conditionId") === condition.id,
      );
      // A split into collections within others takes an outcome and no collateral.
      const isNested = (log: MarketLog): boolean =>
        log.event === "split" &&
        log.address === market.conditionalTokens &&
        log.text("parentCollectionId") !== zeroHash;
      const of = (event: string, name: string): bigint =>
        sum(own.filter((log) => log.event === event && !isNested(log)).map((log) => log.number(name)));
      const locked = of("split", "amount") - of("merge", "amount") - of("redemption", "payout");
      const places = new Map(logs.map((log) => [`${log.transaction}_${log.index}`, log]));
      const cash = activity
        .filter((row) => {
          if (row.tokenId !== null) return condition.tokens.includes(big(row, "tokenId"));
          return places.get(String(row.id))?.text("conditionId") === condition.id;
        })
        .map(cashOf);
      expect(-sum(cash), condition.id).toBe(locked);
    }
  });

  it("books the payout of each redemption for any index sets", () => {
    const { logs, expected } = played(seed);
    const redemptions = redemptionSides(logs, expected.activity);
    for (const { log, payout, booked } of redemptions) expect(booked, log).toBe(payout);
  });

  it("books the same on both sides of each match", () => {
    const { logs, expected } = played(seed, { withFees: false });
    const matches = matchSides(logs, expected.activity);
    expect(matches.length).toBeGreaterThan(20);
    for (const { log, shares, usdc } of matches) {
      expect(shares[0], log).toBe(shares[1]);
      expect(usdc[0], log).toBe(usdc[1]);
    }
  });

  it("books exactly the payments of each wallet as profit and cost", () => {
    const { expected } = played(seed, { withFees: false, withTransfers: false });
    const { activity, positions } = expected;
    for (const wallet of wallets) {
      const rows = activity.filter(({ address }) => address === wallet);
      const booked = positions
        .filter(({ address }) => address === wallet)
        .map((row) => big(row, "realizedPnl") - (big(row, "amount") * big(row, "avgPrice")) / one);
      const cash = sum(rows.map(cashOf));
      const difference = cash - sum(booked);
      // A step rounds a price by less than 1e-6 of a share, of amounts of up to some tens of shares.
      const bound = BigInt(rows.length) * 200n;
      expect(difference < bound && difference > -bound, `${wallet}: ${difference} of ${cash}`).toBe(true);
    }
  });
});

it("the fold knows the exchanges", () => {
  expect(exchanges.size).toBe(5);
  expect(venues.has(market.negRiskAdapter)).toBe(true);
});

it("the fold refuses a transfer of tokens that the sender does not have", () => {
  const simulated = new SimulatedMarket();
  const condition = simulated.prepare();
  simulated.emit(market.conditionalTokens, "single", [
    wallets[0],
    wallets[0],
    wallets[1],
    condition.tokens[0],
    1n,
  ]);
  const logs = placedLogs([[simulated.take()]]);
  expect(() => expectedMarket(logs)).toThrow("is negative in block 1");
});
