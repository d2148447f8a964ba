import { expect, test } from "vitest";
import { Fault } from "../../../src/runtime/errors.js";
import { BlockReads } from "../../../src/runtime/store/block-reads.js";
import type { EntityLookup } from "../../../src/runtime/store/store.js";
import type { Entity } from "../../../src/subgraph/schema/entity.js";
import { entity, text } from "./values.js";

const one: Entity = entity({ id: text("one") });

/** A store that knows some entities without a read, and records its queries. */
function askedStore(known: ReadonlyMap<string, Entity | null>, many = true) {
  const asked: (string | readonly string[])[] = [];
  const there = new Map([["one", one]]);
  const store: EntityLookup = {
    get: async (_, id) => {
      asked.push(id);
      return there.get(id);
    },
    peek: (_, id) => known.get(id),
    related: async () => [],
    ...(many && {
      getMany: async (_: string, ids: readonly string[]) => {
        asked.push(ids);
        return there;
      },
    }),
  };
  return { store, asked };
}

test("entities that a store knows without a read cause no fault", () => {
  const { store, asked } = askedStore(
    new Map([
      ["one", one],
      ["none", null],
    ]),
  );
  const reads = new BlockReads(store);
  expect(reads.get("T", "one")).toBe(one);
  expect(reads.get("T", "none")).toBeUndefined();
  expect(reads.known("T", "none")).toBeNull();
  expect(reads.known("T", "other")).toBeUndefined();
  expect(() => reads.get("T", "other")).toThrow(Fault);
  expect(asked).toEqual([]);
});

test("a block's reads loads many entities in one query, each only once", async () => {
  const { store, asked } = askedStore(new Map([["none", null]]));
  const reads = new BlockReads(store);
  await reads.load("T", ["one", "two", "one", "none"]);
  await reads.load("T", ["two", "one"]);
  expect(asked).toEqual([["one", "two"]]);
  expect(reads.get("T", "one")).toBe(one);
  expect(reads.get("T", "two")).toBeUndefined();
});

test("a block's reads keeps its results even if the store drops them", async () => {
  const known = new Map<string, Entity | null>([["one", one]]);
  const { store, asked } = askedStore(known);
  const reads = new BlockReads(store);
  await reads.load("T", ["one"]);
  known.clear();
  expect(reads.get("T", "one")).toBe(one);
  expect(asked).toEqual([]);
});

test("a block's reads reads one entity at a time from a store without getMany", async () => {
  const { store, asked } = askedStore(new Map(), false);
  await new BlockReads(store).load("T", ["one", "two"]);
  expect(asked).toEqual(["one", "two"]);
});
