import { expect, test } from "vitest";
import { DeterministicError } from "../../../src/runtime/errors.js";
import type { ActiveSource } from "../../../src/runtime/indexer/active-source.js";
import { type BlockContext, HandlerWorld } from "../../../src/runtime/indexer/handler-world.js";

const address = `0x${"0a".repeat(20)}`;

/** The world of a handler on a chain where every account has 5 wei and code. */
function worldWith(readsAccounts: boolean): HandlerWorld {
  const calls = { balance: () => 5n, hasCode: () => true };
  return new HandlerWorld({} as ActiveSource, { calls, readsAccounts } as unknown as BlockContext);
}

test("a handler reads balances and code of accounts", () => {
  expect(worldWith(true).balance(address)).toBe(5n);
  expect(worldWith(true).hasCode(address)).toBe(true);
});

test("a handler fails as in graph-node if it reads accounts before the version that has the functions", () => {
  const world = worldWith(false);
  expect(() => world.balance(address)).toThrow(DeterministicError);
  expect(() => world.balance(address)).toThrow(
    "ethereum.getBalance call is not supported before API version 0.0.9",
  );
  expect(() => world.hasCode(address)).toThrow(DeterministicError);
  expect(() => world.hasCode(address)).toThrow(
    "ethereum.hasCode call is not supported before API version 0.0.9",
  );
});
