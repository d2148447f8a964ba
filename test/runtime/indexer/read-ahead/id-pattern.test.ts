import { describe, expect, test } from "vitest";
import type { Log } from "../../../../src/runtime/chain/chain.js";
import { type Block, idFrom, patternOf } from "../../../../src/runtime/indexer/read-ahead/id-pattern.js";
import { makeBlock, makeLog, type Parameters } from "./logs.js";

const alice = "a1".repeat(20);
const bob = "b2".repeat(20);

function both(
  first: Parameters,
  second: Parameters,
): { id(of: (log: Log, block: Block) => string): unknown } {
  const block = makeBlock(7);
  const [one, two] = [makeLog(block, 1, first), makeLog(block, 2, second)];
  return {
    id: (of) => {
      const pattern = patternOf(of(one, block), one, block);
      return pattern && [idFrom(pattern, two, block), of(two, block)];
    },
  };
}

/** Expects that the id of the second log follows from the id of the first. */
function expectFound(of: (log: Log, block: Block) => string): void {
  const found = both(
    { topics: [alice, bob], data: [1_000n, 77_777n] },
    { topics: [bob, alice], data: [2_345n, 99_999n] },
  ).id(of);
  expect(found).toBeDefined();
  const [guessed, own] = found as readonly [string, string];
  expect(guessed).toBe(own);
}

describe("an id of a later log follows from", () => {
  const topic = (log: Log, index: number): string => log.topics[index]?.slice(-40) ?? "";

  test("an indexed address", () => expectFound((log) => `0x${topic(log, 1)}`));
  test("two addresses in another order", () => expectFound((log) => `0x${topic(log, 2)}${topic(log, 1)}`));
  test("a number of the data", () => expectFound((log) => `token-${BigInt(`0x${log.data.slice(66)}`)}`));
  test("all 32 bytes of a parameter", () => expectFound((log) => `0x${log.data.slice(2, 66)}`));
  test("the contract and a number", () =>
    expectFound((log) => `${log.address}-${BigInt(`0x${log.data.slice(2, 66)}`)}`));
  test("the sender of the transaction", () =>
    expectFound((log, { transactions }) => transactions.get(log.transactionHash)?.from ?? ""));
  test("the transaction", () => expectFound((log) => `${log.transactionHash}-last`));
});

test("an id that has nothing of its log has no pattern", () => {
  const parameters = { topics: [alice], data: [12n] };
  const found = both(parameters, parameters);
  expect(found.id(() => "all")).toBeUndefined();
  expect(found.id(() => "12")).toBeUndefined();
  expect(found.id(({ topics }) => `${"x".repeat(500)}${topics[1]}`)).toBeUndefined();
});

test("a number inside a longer one is not taken for a parameter", () => {
  const found = both({ topics: [alice], data: [1_234n] }, { topics: [bob], data: [5_678n] });
  expect(found.id(() => "991234")).toBeUndefined();
});

test("a log without the parameter gives no id", () => {
  const found = both({ topics: [alice, bob], data: [] }, { topics: [alice], data: [] });
  expect(found.id((log) => `0x${log.topics[2]?.slice(-40)}`)).toEqual([undefined, "0xundefined"]);
});
