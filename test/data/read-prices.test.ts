import { expect, it } from "vitest";
import { PriceFeedError } from "../../src/data/prices/price-feed.js";
import { readPrices } from "../../src/data/prices/read-prices.js";

const token = `0x${"ab".repeat(20)}`;
const read = (said: unknown): unknown => readPrices(JSON.stringify({ [token.toUpperCase()]: said }), [token]);

it("readPrices reads prices with the source's time, and keeps its numbers exactly", () => {
  expect(read({ usd: 1.5e-7, last_updated_at: 1_700_000_000.9 })).toEqual([
    { token, usd: "1.5e-7", observedAt: 1_700_000_000 },
  ]);
  expect(read({ usd: "0.123456789012345678901", last_updated_at: 1 })).toEqual([
    { token, usd: "0.123456789012345678901", observedAt: 1 },
  ]);
});

it.each([
  { usd: 1 },
  { usd: 0, last_updated_at: 1 },
  { usd: -1, last_updated_at: 1 },
  { usd: null, last_updated_at: 1 },
  { usd: "NaN", last_updated_at: 1 },
  { usd: 1, last_updated_at: "2026-01-01" },
  { usd: 1, last_updated_at: 0 },
  1.5,
  null,
])("readPrices takes nothing that is not a price above zero with a time: %j", (said) => {
  expect(read(said)).toEqual([]);
});

it("readPrices ignores the price of a token that was not requested", () => {
  const other = { [`0x${"cd".repeat(20)}`]: { usd: 1, last_updated_at: 1 } };
  expect(readPrices(JSON.stringify(other), [token])).toEqual([]);
});

it.each([
  "",
  "<html>",
  "[]",
  "null",
  '"text"',
])("readPrices refuses an answer that is not an object of tokens: %j", (text) => {
  expect(() => readPrices(text, [token])).toThrow(PriceFeedError);
});
