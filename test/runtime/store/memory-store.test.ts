import { beforeEach, describe, expect, test } from "vitest";
import { createMemoryStore } from "../../../src/runtime/store/create-memory-store.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import type { EntityChange } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { describeStore } from "./conformance.js";
import { slow } from "./slow-store.js";
import { block, set, text } from "./values.js";

describeStore("the memory", (text) => new MemoryStore(readEntitySchema(text)));
describeStore("what must be waited for", (text) => slow(new MemoryStore(readEntitySchema(text))));

test("the memory store refuses aggregations, whose expressions are SQL", () => {
  const ticks = readEntitySchema(`type Tick @entity(timeseries: true) { id: Int8!, timestamp: Timestamp! }
    type Day @aggregation(intervals: ["day"], source: "Tick") {
      id: Int8!, timestamp: Timestamp!, n: Int! @aggregate(fn: "count")
    }`);
  const message = "the type Day is an aggregation, which requires a database (run --database)";
  expect(() => new MemoryStore(ticks)).toThrow(message);
});

test("the memory store refuses grafts, because their base is in a database", () => {
  const built = {
    entities: readEntitySchema("type A @entity { id: ID! }"),
    graft: { base: "QmBase", block: 7 },
  };
  const message = "the manifest is grafted onto QmBase, which requires a database (run --database)";
  expect(() => createMemoryStore(built)).toThrow(message);
});

const schema = readEntitySchema("type Token @entity { id: ID!, name: String }");
let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore(schema);
});

const commit = (number: number, ...changes: EntityChange[]) =>
  store.commit(block(number), { changes, dataSources: [] });

describe("the blocks of the in-memory store", () => {
  test("remembers the last thousand blocks", async () => {
    const counts = new Set<number>();
    for (let number = 1; number <= 3500; number++) {
      await commit(number, set("Token", "t", { name: text(`${number}`) }));
      if (number >= 1000) counts.add((await store.recentBlocks(5000)).length);
    }
    expect([...counts]).toEqual([1000]);
    const recent = await store.recentBlocks(5000);
    expect([recent[0], recent.at(-1)]).toEqual([block(3500), block(2501)]);
    expect(await store.recentBlocks(2)).toEqual([block(3500), block(3499)]);
  });

  test("can revert to a forgotten block and to a block without writes", async () => {
    for (let number = 2; number <= 5000; number += 2)
      await commit(number, set("Token", "t", { name: text(`${number}`) }));
    await store.revert(block(4991));
    expect((await store.get("Token", "t"))?.get("name")).toEqual(text("4990"));
    expect(await store.recentBlocks(2)).toEqual([block(4991), block(4990)]);
    await store.revert(block(11));
    expect((await store.get("Token", "t"))?.get("name")).toEqual(text("10"));
    expect(await store.recentBlocks(9)).toEqual([block(11)]);
    expect((await store.counts()).get("Token")).toEqual({ entities: 1, versions: 5 });
  });
});
