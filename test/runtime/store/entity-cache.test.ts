import { beforeEach, describe, expect, test } from "vitest";
import { Fault } from "../../../src/runtime/errors.js";
import { EntityCache } from "../../../src/runtime/store/entity-cache.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import type { Store } from "../../../src/runtime/store/store.js";
import type { Entity, StoreValue } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { slow } from "./slow-store.js";
import { bigInt, block, bytes, decimal, entity, int8, list, none, text, timestamp } from "./values.js";

const schema = readEntitySchema(`
  interface Named { id: ID! }
  type Pool @entity {
    id: ID!, name: String!, note: String, price: BigDecimal, tags: [String!]
    swaps: [Swap!]! @derivedFrom(field: "pool")
    hops: [Swap!]! @derivedFrom(field: "route")
    anything: [Named!]! @derivedFrom(field: "id")
  }
  type Swap @entity { id: ID!, pool: Pool!, route: [Pool!], amount: BigInt }
  type Event implements Named @entity(immutable: true) { id: ID!, value: BigInt! }
  type First @entity(immutable: true, skipDuplicates: true) { id: ID!, value: BigInt! }
  type Account @entity { id: Bytes!, name: String }
  type Counter @entity { id: Int8!, name: String }
  type Tick @entity(timeseries: true) { id: Int8!, timestamp: Timestamp!, price: BigInt! }
`);

describe.each([
  ["that answers at once", (store: Store) => store],
  ["that must be waited for", slow],
])("over a store %s", (_, wrap) => {
  let store: Store;
  let cache: EntityCache;
  let number: number;
  let faults: number;

  const open = () => {
    cache = new EntityCache(schema, store, { number, timestamp: 1_700_000_000n });
  };
  beforeEach(() => {
    store = wrap(new MemoryStore(schema));
    number = 1;
    faults = 0;
    open();
  });

  /** Runs a handler as the runner does: repeatedly, until no data is missing. */
  async function handle<T>(handler: () => T): Promise<T> {
    for (;;) {
      try {
        const result = handler();
        cache.keep();
        return result;
      } catch (error) {
        cache.discard();
        if (!(error instanceof Fault)) throw error;
        faults += 1;
        await error.fetch();
      }
    }
  }
  async function endBlock() {
    const changes = await cache.changes();
    await store.commit(block(number), { changes, dataSources: [] });
    number += 1;
    open();
    return changes;
  }
  const set = (type: string, id: string, fields: Readonly<Record<string, StoreValue>>) =>
    handle(() => cache.set(type, id, entity(fields)));
  const idsOf = (entities: readonly Entity[]) => entities.map((found) => found.get("id"));

  test("a handler and later handlers read what it has written", async () => {
    await handle(() => {
      cache.set("Pool", "p", entity({ note: text("n"), name: text("one") }));
      expect(cache.get("Pool", "p")).toEqual(entity({ id: text("p"), name: text("one"), note: text("n") }));
    });
    expect(await handle(() => cache.get("Pool", "p")?.get("name"))).toEqual(text("one"));
    expect(await endBlock()).toEqual([
      {
        kind: "set",
        type: "Pool",
        id: "p",
        entity: entity({ id: text("p"), name: text("one"), note: text("n") }),
      },
    ]);
    expect(await handle(() => cache.get("Pool", "p")?.get("name"))).toEqual(text("one"));
  });

  test("an entity has sorted fields and no nulls", async () => {
    await set("Pool", "p", { price: none, note: text("n"), name: text("one"), id: text("p") });
    await endBlock();
    const found = await handle(() => cache.get("Pool", "p"));
    expect([...(found?.keys() ?? [])]).toEqual(["id", "name", "note"]);
  });

  test("absent fields are kept, and null removes a field", async () => {
    await set("Pool", "p", { name: text("one"), note: text("n"), price: decimal(1n, 0) });
    await endBlock();
    await set("Pool", "p", { price: decimal(2n, 0) });
    await set("Pool", "p", { note: none });
    await endBlock();
    expect(await handle(() => cache.get("Pool", "p"))).toEqual(
      entity({ id: text("p"), name: text("one"), price: decimal(2n, 0) }),
    );
  });

  test("null stays visible in an entity of this block, and is gone in the next one", async () => {
    const stored = { id: text("p"), name: text("one") };
    const seen = entity({ ...stored, note: none });
    await handle(() => {
      cache.set("Pool", "p", entity({ name: text("one"), note: none }));
      expect(cache.get("Pool", "p")).toEqual(seen);
    });
    expect(await handle(() => cache.get("Pool", "p"))).toEqual(seen);
    expect(await handle(() => cache.getInBlock("Pool", "p"))).toEqual(seen);
    await set("Pool", "p", { price: none });
    expect(await handle(() => cache.get("Pool", "p"))).toEqual(
      entity({ ...stored, note: none, price: none }),
    );
    await endBlock();
    expect(await handle(() => cache.get("Pool", "p"))).toEqual(entity(stored));
  });

  test("null in an entity of an earlier block is only visible as a write of this block", async () => {
    await set("Pool", "p", { name: text("one"), note: text("n") });
    await endBlock();
    await set("Pool", "p", { note: none });
    expect(await handle(() => cache.get("Pool", "p"))).toEqual(entity({ id: text("p"), name: text("one") }));
    expect(await handle(() => cache.getInBlock("Pool", "p"))).toEqual(entity({ id: text("p"), note: none }));
    await handle(() => cache.remove("Pool", "p"));
    await set("Pool", "p", { name: text("one"), note: none });
    expect(await handle(() => cache.get("Pool", "p"))).toEqual(
      entity({ id: text("p"), name: text("one"), note: none }),
    );
  });

  test("drops what a handler wrote before it failed", async () => {
    await set("Pool", "p", { name: text("one") });
    await expect(
      handle(() => {
        cache.set("Pool", "p", entity({ name: text("two") }));
        cache.set("Pool", "q", entity({ name: text("q") }));
        throw new Error("failed");
      }),
    ).rejects.toThrow("failed");
    expect(await handle(() => [cache.get("Pool", "p")?.get("name"), cache.get("Pool", "q")])).toEqual([
      text("one"),
      undefined,
    ]);
    expect((await endBlock()).map(({ id }) => id)).toEqual(["p"]);
  });

  test("a removed entity is gone, and a new one with its id has none of its fields", async () => {
    await set("Pool", "p", { name: text("one"), note: text("n") });
    await set("Pool", "q", { name: text("q") });
    await endBlock();
    await handle(() => {
      cache.remove("Pool", "p");
      expect(cache.get("Pool", "p")).toBeUndefined();
    });
    await set("Pool", "p", { name: text("two") });
    await handle(() => cache.remove("Pool", "q"));
    await handle(() => cache.remove("Pool", "never"));
    expect(await handle(() => cache.get("Pool", "p"))).toEqual(entity({ id: text("p"), name: text("two") }));
    expect(await endBlock()).toEqual([
      { kind: "set", type: "Pool", id: "p", entity: entity({ id: text("p"), name: text("two") }) },
      { kind: "remove", type: "Pool", id: "q" },
    ]);
  });

  test("an entity that is created and removed in one block is not written", async () => {
    await set("Event", "e", { value: bigInt(1n) });
    await handle(() => cache.remove("Event", "e"));
    expect(await endBlock()).toEqual([]);
  });

  test("an entity that ends up unchanged is not written", async () => {
    const fields = { name: text("one"), price: decimal(1n, -2), tags: list(text("a"), text("b")) };
    await set("Pool", "p", fields);
    await endBlock();
    await set("Pool", "p", { name: text("two") });
    await set("Pool", "p", fields);
    expect(await endBlock()).toEqual([]);
    await set("Pool", "p", { tags: list(text("b"), text("a")) });
    expect((await endBlock()).length).toBe(1);
    await set("Pool", "p", { price: decimal(1n, -3) });
    expect((await endBlock()).length).toBe(1);
    await set("Pool", "p", { price: none });
    expect((await endBlock()).length).toBe(1);
  });

  test("an entity whose decimal the database shortens is not written for the digits that it lost", async () => {
    await set("Pool", "p", { name: text("one"), price: decimal(-BigInt("6".repeat(34)), 2) });
    await endBlock();
    await set("Pool", "p", { price: decimal(-BigInt("6".repeat(35)), 1) });
    expect(await endBlock()).toEqual([]);
    await set("Pool", "p", { price: decimal(-BigInt("6".repeat(35)), 0) });
    expect((await endBlock()).length).toBe(1);
  });

  test("changes are in the order of the last write of each entity", async () => {
    await set("Pool", "a", { name: text("a") });
    await set("Event", "e", { value: bigInt(1n) });
    await handle(() => {
      cache.set("Pool", "b", entity({ name: text("b") }));
      cache.set("Pool", "a", entity({ name: text("again") }));
    });
    expect((await endBlock()).map(({ id }) => id)).toEqual(["e", "b", "a"]);
  });

  test("getInBlock returns only fields that were written in the block", async () => {
    await set("Pool", "p", { name: text("one"), note: text("n") });
    await endBlock();
    expect(await handle(() => cache.getInBlock("Pool", "p"))).toBeUndefined();
    await set("Pool", "p", { name: text("two") });
    expect(await handle(() => cache.getInBlock("Pool", "p"))).toEqual(
      entity({ id: text("p"), name: text("two") }),
    );
    await handle(() => cache.remove("Pool", "p"));
    expect(await handle(() => cache.getInBlock("Pool", "p"))).toBeUndefined();
  });

  describe("related entities", () => {
    beforeEach(async () => {
      for (const id of ["b", "a", "c"]) await set("Swap", id, { pool: text("p"), amount: bigInt(1n) });
      await set("Swap", "d", { pool: text("q") });
      await endBlock();
    });

    test("related entities are sorted by id", async () => {
      expect(idsOf(await handle(() => cache.related("Pool", "p", "swaps")))).toEqual([
        text("a"),
        text("b"),
        text("c"),
      ]);
      expect(await handle(() => cache.related("Pool", "none", "swaps"))).toEqual([]);
    });

    test("related entities include changes of this block and this handler", async () => {
      await handle(() => cache.remove("Swap", "a"));
      await set("Swap", "b", { amount: bigInt(2n) });
      await set("Swap", "c", { pool: text("q") });
      await set("Swap", "d", { pool: text("p"), amount: bigInt(4n) });
      await handle(() => {
        cache.set("Swap", "aa", entity({ pool: text("p") }));
        cache.set("Swap", "d", entity({ amount: bigInt(5n) }));
        const found = cache.related("Pool", "p", "swaps");
        expect(idsOf(found)).toEqual([text("aa"), text("b"), text("d")]);
        expect(found.map((swap) => swap.get("amount"))).toEqual([undefined, bigInt(2n), bigInt(5n)]);
      });
      expect(idsOf(await handle(() => cache.related("Pool", "q", "swaps")))).toEqual([text("c")]);
    });

    test("a related entity may list the id", async () => {
      await set("Swap", "a", { route: list(text("p"), text("q")) });
      expect(idsOf(await handle(() => cache.related("Pool", "q", "hops")))).toEqual([text("a")]);
      await endBlock();
      expect(idsOf(await handle(() => cache.related("Pool", "p", "hops")))).toEqual([text("a")]);
    });

    test.each([
      ["name", "Pool.name is not a derived field"],
      ["nope", "the schema has no field Pool.nope"],
      ["anything", "Pool.anything is derived from the interface Named, which a mapping cannot look up"],
    ])("refuses to look up related entities of the field %s", async (field, message) => {
      await expect(handle(() => cache.related("Pool", "p", field))).rejects.toThrow(message);
    });
  });

  describe("an immutable entity", () => {
    beforeEach(async () => {
      await set("Event", "e", { value: bigInt(1n) });
      await set("Event", "e", { value: bigInt(2n) });
      await endBlock();
    });

    test("an immutable entity can be written several times in its block", async () => {
      expect(await handle(() => cache.get("Event", "e")?.get("value"))).toEqual(bigInt(2n));
    });

    test("an immutable entity cannot be written in a later block", async () => {
      const later = async () => {
        await set("Event", "e", { value: bigInt(3n) });
        await endBlock();
      };
      await expect(later()).rejects.toThrow("Event[e] is immutable");
    });

    test("an immutable entity may have a different value within a later block", async () => {
      await set("Event", "e", { value: bigInt(3n) });
      await set("Event", "e", { value: bigInt(2n) });
      expect(await endBlock()).toEqual([]);
    });

    test("the error for a changed immutable entity names the operation", async () => {
      await set("Account", "0x01", { name: text("one") });
      await set("Event", "e", { value: bigInt(3n) });
      await set("Account", "0x02", { name: text("two") });
      await expect(cache.changes()).rejects.toMatchObject({ name: "ImmutableError", operation: 1 });
    });

    test("removing an immutable entity in a later block has no effect and is not an error", async () => {
      await handle(() => cache.remove("Event", "e"));
      expect(await endBlock()).toEqual([]);
      expect(await handle(() => cache.get("Event", "e")?.get("value"))).toEqual(bigInt(2n));
    });

    test.each([
      ["reads it", () => cache.get("Event", "e"), "removed in block 2"],
      ["sets it again", () => cache.set("Event", "e", entity({ value: bigInt(3n) })), "written again"],
    ])("a block no longer sees an immutable entity that it removes and %s", async (_, go, message) => {
      await handle(() => {
        cache.remove("Event", "e");
        go();
      });
      const ending = cache.changes();
      await expect(ending).rejects.toThrow(message);
      await expect(ending).rejects.toMatchObject({ name: "EntityError" });
    });

    test("an immutable entity may be saved unchanged", async () => {
      await handle(() => {
        const found = cache.get("Event", "e");
        if (found) cache.set("Event", "e", found);
      });
      expect(await endBlock()).toEqual([]);
    });

    test("an immutable entity that skips duplicates keeps its first value", async () => {
      await set("First", "f", { value: bigInt(1n) });
      await endBlock();
      await set("First", "f", { value: bigInt(2n) });
      expect(await endBlock()).toEqual([]);
      expect(await handle(() => cache.get("First", "f")?.get("value"))).toEqual(bigInt(1n));
      await expect(handle(() => cache.remove("First", "f")).then(endBlock)).rejects.toThrow(
        "it cannot be removed",
      );
    });
  });

  describe("ids", () => {
    test.each([
      ["Account", "0xABcd", "0xabcd", bytes("0xabcd")],
      ["Account", "ABcd", "0xabcd", bytes("0xabcd")],
      ["Account", "0x", "0x", bytes("0x")],
      ["Counter", "-0012", "-12", int8(-12n)],
    ])("the id of %s %s has the canonical form %s", async (type, given, canonical, value) => {
      await set(type, given, {});
      await handle(() => {
        expect(cache.get(type, given)).toEqual(entity({ id: value }));
        expect(cache.getInBlock(type, given)).toEqual(cache.get(type, canonical));
        expect(cache.related("Pool", "x", "swaps")).toEqual([]);
      });
      expect((await endBlock()).map(({ id }) => id)).toEqual([canonical]);
    });

    test.each([
      ["Account", "0xabc", '"0xabc" is not a valid id of Account, whose ids are Bytes'],
      ["Account", "hello", '"hello" is not a valid id of Account'],
      ["Counter", "1.5", '"1.5" is not a valid id of Counter, whose ids are Int8'],
      ["Counter", "9223372036854775808", "is not a valid id of Counter"],
      ["Nope", "a", "Nope is not an entity type; the schema has Pool, Swap, Event"],
      ["Named", "a", "Named is an interface; the schema has Pool"],
    ])("refuses for %s the id %s", async (type, id, message) => {
      for (const asking of [
        () => cache.get(type, id),
        () => cache.getInBlock(type, id),
        () => cache.set(type, id, new Map()),
        () => cache.remove(type, id),
      ]) {
        await expect(handle(asking)).rejects.toThrow(message);
      }
      await expect(cache.preload(type, [id])).rejects.toThrow(message);
    });

    test("the host generates ids, and reuses those of faulted handlers, but not those of failed ones", async () => {
      number = 5;
      open();
      await set("Counter", "auto", { name: text("first") });
      cache.set("Counter", "auto", new Map());
      cache.discard();
      cache.set("Counter", "auto", new Map());
      cache.fail();
      await set("Counter", "auto", { name: text("second") });
      await set("Account", "auto", {});
      await set("Tick", "whatever", { id: int8(7n), timestamp: timestamp(1n), price: bigInt(1n) });
      expect((await cache.changes()).map(({ id }) => id)).toEqual([
        String(5n << 32n),
        String((5n << 32n) + 2n),
        "0x0000000500000003",
        String((5n << 32n) + 4n),
      ]);
      const [tick] = (await cache.changes()).slice(-1);
      expect(tick).toMatchObject({
        entity: entity({
          id: int8((5n << 32n) + 4n),
          timestamp: timestamp(1_700_000_000_000_000n),
          price: bigInt(1n),
        }),
      });
      await expect(set("Pool", "auto", { name: text("p") })).rejects.toThrow(
        'the ids of Pool are strings, but "auto"',
      );
    });
  });

  test("preloaded entities cause no fault", async () => {
    await set("Account", "0x0a", { name: text("a") });
    await endBlock();
    faults = 0;
    await cache.preload("Account", ["0x0A", "0x0b"]);
    expect(
      await handle(() => [cache.get("Account", "0x0a")?.get("name"), cache.get("Account", "0x0b")]),
    ).toEqual([text("a"), undefined]);
    expect(faults).toBe(0);
  });
});

test("the cache never waits for a synchronous store", () => {
  const store = new MemoryStore(schema);
  const cache = new EntityCache(schema, store, { number: 1, timestamp: 0n });
  expect(cache.get("Pool", "p")).toBeUndefined();
  expect(cache.related("Pool", "p", "swaps")).toEqual([]);
});

test("the cache reads an entity from an asynchronous store only once", async () => {
  const store = new MemoryStore(schema);
  let asked = 0;
  const counting: Store = {
    ...slow(store),
    get: async (type, id) => {
      asked += 1;
      return store.get(type, id);
    },
  };
  const cache = new EntityCache(schema, counting, { number: 1, timestamp: 0n });
  await cache.preload("Pool", ["p"]);
  cache.set("Pool", "p", entity({ name: text("one") }));
  cache.set("Pool", "p", entity({ note: text("n") }));
  cache.keep();
  await cache.changes();
  expect(asked).toBe(1);
});
