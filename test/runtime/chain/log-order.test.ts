import { describe, expect, it } from "vitest";
import type { Log } from "../../../src/runtime/chain/chain.js";
import { Fields } from "../../../src/runtime/chain/fields.js";
import {
  areNumberedByTransaction,
  areSameLog,
  clashOf,
  clashText,
  inOrder,
  logKey,
} from "../../../src/runtime/chain/log-order.js";
import { decodeLog } from "../../../src/runtime/chain/rpc/decode-block.js";
import { mergeLogs } from "../../../src/runtime/chain/rpc/logs-request.js";
import { areAlike, holdsAll, isNumbered } from "../../../src/runtime/indexer/logs/log-lists.js";
import { hash, quantity, rawLog } from "../../support/chain/raw-chain.js";
import { drawFrom } from "../../support/pool/draw.js";

const zeros = hash(0);

function logOf(transaction: number, index: number, changes: object = {}): Log {
  const place = { transactionHash: hash(transaction, "f"), transactionIndex: quantity(transaction) };
  return decodeLog(new Fields("", rawLog(5, index, { ...place, ...changes })));
}

const byTransaction = [logOf(0, 0), logOf(0, 1), logOf(1, 0), logOf(2, 0), logOf(2, 1)];
const byBlock = [logOf(0, 0), logOf(0, 1), logOf(1, 2), logOf(2, 3), logOf(2, 4)];

function shuffled<T>(list: readonly T[], seed: number): readonly T[] {
  const draw = drawFrom(seed);
  return list
    .map((one) => ({ one, at: draw.chance() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

describe.each([
  ["per transaction", byTransaction],
  ["per block", byBlock],
])("logs numbered %s", (_, logs) => {
  it.each([
    1, 2, 3, 4, 5,
  ])("INV-R4: are complete and in order after arriving in any order, seed %s", (seed) => {
    const parts = [shuffled(logs, seed), shuffled(logs.slice(1), seed + 10)];
    expect(mergeLogs(parts)).toEqual(logs);
  });

  it("are distinguished", () => {
    expect(new Set(logs.map(logKey)).size).toBe(logs.length);
    expect(clashOf(logs)).toBeUndefined();
    expect(holdsAll(logs, logs)).toBe(true);
    for (const log of logs) {
      const others = logs.filter((other) => other !== log);
      expect(holdsAll(others, [log])).toBe(false);
      expect(areAlike(logs, [...others, log].slice(0, logs.length - 1))).toBe(false);
    }
  });

  it("have no gap", () => {
    expect(isNumbered(logs)).toBe(true);
    expect(isNumbered(logs.filter((_, at) => at !== 3))).toBe(false);
  });
});

it("the client recognizes logs that are numbered per transaction, also among only some of a block", () => {
  expect(areNumberedByTransaction(byTransaction)).toBe(true);
  expect(areNumberedByTransaction([logOf(0, 1), logOf(1, 0)])).toBe(true);
  expect(areNumberedByTransaction([logOf(2, 0), logOf(0, 0)])).toBe(true);
  expect(areNumberedByTransaction(byBlock)).toBe(false);
  expect(areNumberedByTransaction([logOf(1, 0), logOf(7, 1)])).toBe(false);
});

it("the client keeps logs outside of transactions in the order of their indexes, even if they name a transaction", () => {
  const outside = logOf(0, 5, { transactionHash: zeros });
  expect(inOrder([outside, ...byBlock])).toEqual([...byBlock, outside]);
});

it("the client distinguishes logs outside of transactions by the transaction index", () => {
  const outside = [0, 1, 2].map((index) => logOf(index, 0, { transactionHash: zeros }));
  expect(inOrder([...outside].reverse())).toHaveLength(3);
  expect(clashOf(outside)).toBeUndefined();
});

it("the client never merges two logs of one name that differ in content", () => {
  const one = logOf(1, 0);
  for (const change of [{ data: "0x01" }, { topics: [hash(2)] }, { address: `0x${"9".repeat(40)}` }]) {
    const other = logOf(1, 0, change);
    expect(areSameLog(one, other)).toBe(false);
    expect(mergeLogs([[one], [other]])).toEqual([one, other]);
    expect(clashOf([one, other])).toEqual([one, other]);
    expect(holdsAll([one], [other])).toBe(false);
    expect(areAlike([one], [other])).toBe(false);
  }
  const text = clashText([one, logOf(1, 0, { data: "0x01" })]);
  expect(text).toContain(`block 5 has two logs with index 0 of transaction ${one.transactionHash}`);
  expect(text).toContain("the data 0x01");
});
