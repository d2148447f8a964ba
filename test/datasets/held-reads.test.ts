import { describe, expect, it } from "vitest";
import { HeldReads } from "../../src/datasets/archive/held-reads.js";
import { WeightedMap } from "../../src/datasets/archive/segments/weighted-map.js";

describe("a map up to a total weight", () => {
  it("drops the oldest first, and keeps an entry that alone reaches the limit", () => {
    const map = new WeightedMap<string, number>(10);
    map.set("a", 1, 4);
    map.set("b", 2, 4);
    map.set("a", 3, 5);
    expect(map.values).toEqual([3, 2]);
    map.set("c", 4, 4);
    expect(map.values).toEqual([2, 4]);
    map.set("d", 5, 100);
    expect(map.values).toEqual([5]);
    map.delete("d");
    map.set("e", 6, 10);
    expect([map.get("d"), map.get("e")]).toEqual([undefined, 6]);
    map.clear();
    map.set("f", 7, 10);
    expect(map.values).toEqual([7]);
  });
});

describe("what waits to become final", () => {
  const mebibyte = "0".repeat(1024 * 1024);

  it("the oldest is dropped first when the answers use too much memory", () => {
    const held = new HeldReads();
    for (let block = 0; block < 100; block++)
      held.addAnswer({ block, hash: `0x${block}`, question: "read", answer: mebibyte });
    expect(held.take("0x0").answers).toEqual([]);
    expect(held.take("0x99").answers.length).toBe(1);
    expect(held.take("0x99").answers).toEqual([]);
  });

  it("the oldest is dropped first when the lists of addresses use too much memory", () => {
    const held = new HeldReads();
    const addresses = Array.from({ length: 100_000 }, () => "0x");
    for (let from = 0; from < 100; from++) {
      const range = { from, to: from };
      const seen = { logs: [], blocks: [], settledTo: -1 };
      held.addLogs({ range, filter: [{ addresses, topics: [] }], proof: "bloom", ...seen });
    }
    const waiting = held.takeLogs();
    expect(waiting.length).toBeGreaterThan(20);
    expect(waiting.length).toBeLessThan(40);
    expect(waiting.at(-1)?.range.to).toBe(99);
    expect(held.takeLogs()).toEqual([]);
  });
});
