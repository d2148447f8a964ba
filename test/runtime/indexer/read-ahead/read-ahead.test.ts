import { expect, test } from "vitest";
import { ReadAhead } from "../../../../src/runtime/indexer/read-ahead/read-ahead.js";
import type { EntityKey } from "../../../../src/runtime/store/check-writes.js";
import type { EventTrigger } from "../../../../src/runtime/values.js";
import { makeBlock, makeLog } from "./logs.js";

const address = (index: number): string => (index + 0xabc).toString(16).padStart(40, "9");

/** What was announced, and a learner with blocks of transfers. */
function learner() {
  const announced: EntityKey[] = [];
  const readAhead = new ReadAhead((key) => announced.push(key));
  const logsOf = (number: number, count = 1) => {
    const block = makeBlock(number);
    const logs = Array.from({ length: count }, (_, index) =>
      makeLog(block, index, { topics: [address(number * 1_000 + index)], data: [] }),
    );
    return { block, logs };
  };
  const idOf = (number: number, index = 0): string => `0x${address(number * 1_000 + index)}`;
  const wait = (number: number, id = idOf(number)): void => {
    const { block, logs } = logsOf(number);
    readAhead.learn({ kind: "event", block, log: logs[0] } as unknown as EventTrigger, {
      type: "Account",
      id,
    });
  };
  const expectBlock = (number: number, count?: number): void => {
    const { block, logs } = logsOf(number, count);
    readAhead.expect(block, logs);
  };
  return { announced, readAhead, idOf, wait, expectBlock };
}

test("once handlers have waited twice for the account of a transfer, later accounts are announced", () => {
  const { announced, readAhead, idOf, wait, expectBlock } = learner();
  expectBlock(1);
  expectBlock(2);
  expectBlock(3);
  wait(1);
  readAhead.reach(1);
  expect(announced).toEqual([]);
  wait(2);
  readAhead.reach(2);
  expect(announced).toEqual([{ type: "Account", id: idOf(3) }]);
  expectBlock(4);
  expect(announced).toHaveLength(2);
});

test("an entity that has nothing to do with the event is never announced", () => {
  const { announced, wait, expectBlock } = learner();
  for (const block of [1, 2, 3]) wait(block, "total");
  expectBlock(4);
  expect(announced).toEqual([]);
});

test("no more is announced than a store can remember until it is used", () => {
  const { announced, readAhead, wait, expectBlock } = learner();
  wait(1);
  wait(2);
  for (let block = 3; block < 103; block++) expectBlock(block, 100);
  expect(announced).toHaveLength(8_000);
  readAhead.reach(12);
  expect(announced).toHaveLength(9_000);
});

test("blocks that a reorganisation has replaced take no room", () => {
  const { announced, readAhead, idOf, wait, expectBlock } = learner();
  wait(1);
  wait(2);
  for (let block = 3; block < 103; block++) expectBlock(block, 100);
  readAhead.forget();
  announced.length = 0;
  expectBlock(3, 2);
  expect(announced.map(({ id }) => id)).toEqual([idOf(3), idOf(3, 1)]);
});
