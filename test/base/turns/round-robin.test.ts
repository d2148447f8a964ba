import { expect, it } from "vitest";
import { RoundRobin } from "../../../src/base/turns/round-robin.js";

it("Askers take turns, and the items of each stay in order.", () => {
  const queue = new RoundRobin<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.push(item.charAt(0), item);
  expect([queue.size, queue.sizeOf("a"), queue.sizeOf("d")]).toEqual([6, 3, 0]);
  const taken = Array.from({ length: 4 }, () => queue.shift());
  expect(taken).toEqual(["a1", "b1", "c1", "a2"]);
  queue.push("c", "c2");
  expect([queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual(["b2", "a3", "c2", undefined]);
  expect([queue.size, queue.sizeOf("a")]).toEqual([0, 0]);
});
