import { describe, expect, test } from "vitest";
import { DeterministicError, RetriedError } from "../../../src/runtime/errors.js";
import { EntityCache } from "../../../src/runtime/store/entity-cache.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import type { StoreValue } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { bigInt, bool, bytes, decimal, entity, int, int8, list, none, text, timestamp } from "./values.js";

const schema = readEntitySchema(`
  enum Side { BUY SELL }
  type Token @entity { id: Bytes!, trades: [Trade!]! @derivedFrom(field: "token") }
  type Trade @entity {
    id: ID!, required: String!, token: Token, route: [Token!], side: Side, sides: [Side!]
    string: String, bytes: Bytes, int: Int, int8: Int8, time: Timestamp, big: BigInt, decimal: BigDecimal, bool: Boolean
    strings: [String!], previous: Trade
  }
`);

const open = (unknownFields: "refuse" | "drop" = "refuse") =>
  new EntityCache(schema, new MemoryStore(schema), { number: 1, timestamp: 0n }, { unknownFields });
const full = { required: text("r") };

describe("a write is refused for", () => {
  test.each<[string, Record<string, StoreValue>, string]>([
    [
      "text for bytes",
      { bytes: text("0x01") },
      'Trade[t].bytes must be of type Bytes, but was given the String "0x01"',
    ],
    [
      "bytes for text",
      { string: bytes("0x01") },
      "Trade[t].string must be of type String, but was given the Bytes 0x01",
    ],
    ["an Int for an Int8", { int8: int(1) }, "Trade[t].int8 must be of type Int8, but was given the Int 1"],
    ["an Int8 for an Int", { int: int8(1n) }, "Trade[t].int must be of type Int, but was given the Int8 1"],
    [
      "an Int8 for a Timestamp",
      { time: int8(1n) },
      "Trade[t].time must be of type Timestamp, but was given the Int8 1",
    ],
    [
      "a decimal for an integer",
      { big: decimal(5n, -1) },
      "Trade[t].big must be of type BigInt, but was given the BigDecimal 5e-1",
    ],
    [
      "an integer for a decimal",
      { decimal: bigInt(5n) },
      "Trade[t].decimal must be of type BigDecimal, but was given the BigInt 5",
    ],
    [
      "a number for a boolean",
      { bool: int(1) },
      "Trade[t].bool must be of type Boolean, but was given the Int 1",
    ],
    [
      "a list for one value",
      { string: list(text("a")) },
      'Trade[t].string must be of type String, but was given the Array ["a"]',
    ],
    [
      "an item of the wrong kind",
      { strings: list(text("a"), int(1)) },
      "Trade[t].strings[1] must be of type [String!], but was given the Int 1",
    ],
    [
      "one value of another kind for a list",
      { strings: int(1) },
      "Trade[t].strings must be of type [String!], but was given the Int 1",
    ],
    [
      "a list in a list",
      { strings: list(list(text("a"))) },
      "Trade[t].strings[0] must be of type [String!], but was given the Array",
    ],
    [
      "a string where the target's ids are bytes",
      { token: text("0x01") },
      'Trade[t].token must be an id of Token (Bytes), but was given the String "0x01"',
    ],
    [
      "bytes where the target's ids are strings",
      { previous: bytes("0x01") },
      "Trade[t].previous must be an id of Trade (String), but was given the Bytes 0x01",
    ],
    [
      "a string in a list of ids that are bytes",
      { route: list(bytes("0x01"), text("x")) },
      'Trade[t].route[1] must be ids of Token (Bytes), but was given the String "x"',
    ],
    [
      "fields that the schema lacks",
      { zz: int(1), nope: text("n") },
      "Attempted to set undefined fields [nope, zz] for the entity type `Trade`. Make sure those fields are defined",
    ],
    ["a different id", { id: text("u") }, 'Trade[t].id is "u", but the entity is saved with the id t'],
    [
      "an id of the wrong kind",
      { id: bytes("0x01") },
      "Trade[t].id must be of type ID!, but was given the Bytes 0x01",
    ],
    ["null as the id", { id: none }, "Trade[t].id must be of type ID!, but was given the Null null"],
    ["a long value", { bytes: text("x".repeat(500)) }, `"${"x".repeat(79)}…`],
  ])("refuses %s", (_, fields, message) => {
    const cache = open();
    const writing = () => cache.set("Trade", "t", entity({ ...full, ...fields }));
    expect(writing).toThrow(message);
    // Of all these, graph-node treats only an unknown field as a deterministic failure.
    expect(writing).toThrow("zz" in fields ? DeterministicError : RetriedError);
    cache.discard();
    expect(cache.getInBlock("Trade", "t")).toBeUndefined();
  });

  test("refuses a derived field", () => {
    const cache = open();
    const writing = () => cache.set("Token", "0x01", entity({ trades: list() }));
    expect(writing).toThrow("Token[0x01].trades cannot be set: it is derived from Trade.token");
  });

  test("refuses a write without a required field, unless the field already has a value", () => {
    const cache = open();
    expect(() => cache.set("Trade", "t", entity({ int: int(1) }))).toThrow("Trade[t].required has no value");
    cache.discard();
    cache.set("Trade", "t", entity(full));
    cache.set("Trade", "t", entity({ int: int(1) }));
    expect(cache.get("Trade", "t")).toEqual(entity({ id: text("t"), int: int(1), required: text("r") }));
    cache.remove("Trade", "t");
    expect(() => cache.set("Trade", "t", entity({ int: int(1) }))).toThrow("Trade[t].required has no value");
  });

  test("names the first missing field in the order of the schema", () => {
    const votes = readEntitySchema("type Vote @entity { id: ID!, yes: Int!, no: Int!, abstain: Int! }");
    const cache = new EntityCache(votes, new MemoryStore(votes), { number: 1, timestamp: 0n });
    expect(() => cache.set("Vote", "v", entity({ yes: int(1) }))).toThrow("Vote[v].no has no value");
  });
});

describe("a value is judged when the block is written:", () => {
  const late: [string, Record<string, StoreValue>, Record<string, StoreValue>, string][] = [
    [
      "null in a required field",
      { required: none },
      { required: text("r") },
      "Trade[t].required has no value, but the schema requires one: String!",
    ],
    [
      "one value for a list",
      { strings: text("a") },
      { strings: list(text("a")) },
      'Trade[t].strings must be of type [String!], but was given the String "a"',
    ],
    [
      "null in a list",
      { strings: list(text("a"), none) },
      { strings: none },
      "Trade[t].strings[1] is null, but a list cannot contain null",
    ],
    [
      "a value that the enum lacks",
      { side: text("HOLD") },
      { side: text("BUY") },
      'Trade[t].side cannot be "HOLD"; allowed values: BUY, SELL',
    ],
    [
      "a list item that the enum lacks",
      { sides: list(text("BUY"), text("x")) },
      { sides: list() },
      'Trade[t].sides[1] cannot be "x"',
    ],
  ];

  test.each(late)("%s ends the block", async (_, bad, _good, message) => {
    const cache = open();
    cache.set("Trade", "t", entity({ ...full, ...bad }));
    cache.keep();
    const ending = cache.changes();
    await expect(ending).rejects.toThrow(message);
    await expect(ending).rejects.toThrow(RetriedError);
  });

  test.each(late)("%s does no harm if a later handler sets a good value", async (_, bad, good) => {
    const cache = open();
    cache.set("Trade", "t", entity({ ...full, ...bad }));
    cache.keep();
    cache.set("Trade", "t", entity(good));
    cache.keep();
    const [change] = await cache.changes();
    const kept = Object.entries({ ...full, ...good }).filter(([, { kind }]) => kind !== "Null");
    expect(change?.kind === "set" && change.entity).toEqual(
      entity({ id: text("t"), ...Object.fromEntries(kept) }),
    );
  });

  test.each(late)("%s does no harm if the entity is removed", async (_, bad) => {
    const cache = open();
    cache.set("Trade", "t", entity({ ...full, ...bad }));
    cache.remove("Trade", "t");
    cache.keep();
    expect(await cache.changes()).toEqual([]);
  });

  test("a partial write over null in a required field of an earlier block is refused at once", async () => {
    const store = new MemoryStore(schema);
    const before = new EntityCache(schema, store, { number: 1, timestamp: 0n });
    before.set("Trade", "t", entity(full));
    before.keep();
    const changes = await before.changes();
    await store.commit({ number: 1, hash: "0x01" }, { changes, dataSources: [] });
    const cache = new EntityCache(schema, store, { number: 2, timestamp: 0n });
    cache.set("Trade", "t", entity({ required: none }));
    expect(() => cache.set("Trade", "t", entity({ int: int(1) }))).toThrow("Trade[t].required has no value");
  });
});

test("the store writes values of the right kind", () => {
  const cache = open();
  const fields = {
    ...full,
    token: bytes("0x01"),
    route: list(bytes("0x01")),
    side: text("SELL"),
    sides: list(text("BUY"), text("BUY")),
    string: text(""),
    bytes: bytes("0x"),
    int: int(-1),
    int8: int8(1n),
    time: timestamp(1n),
    big: bigInt(1n),
    decimal: decimal(1n, -1),
    bool: bool(false),
    strings: list(),
    previous: text("t"),
  };
  cache.set("Trade", "t", entity(fields));
  expect(cache.get("Trade", "t")).toEqual(entity({ ...fields, id: text("t") }));
});

test("the store drops fields that the schema lacks for mappings of old API versions", () => {
  const cache = open("drop");
  cache.set("Trade", "t", entity({ ...full, nope: text("n") }));
  expect(cache.get("Trade", "t")).toEqual(entity({ id: text("t"), required: text("r") }));
});
