import { expect, test } from "vitest";
import { checkWrites, keysToCheck } from "../../../src/runtime/store/check-writes.js";
import type { EntityChange } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { block, remove, set } from "./values.js";

const schema = readEntitySchema(`
  interface Party { id: ID! }
  type Token implements Party @entity { id: ID! }
  type Holder implements Party @entity { id: ID! }
  type Event @entity(immutable: true) { id: ID! }
`);

const changes: readonly EntityChange[] = [
  set("Token", "t", {}),
  remove("Holder", "h"),
  set("Event", "e", {}),
  remove("Event", "f"),
];

/** Records the look-ups of a check, in a store that has some entities since block 1. */
function askedFor(has: (type: string, id: string) => boolean): { keys: string[]; check: () => void } {
  const keys: string[] = [];
  const since = (type: string, id: string): number | undefined => {
    keys.push(`${type} ${id}`);
    return has(type, id) ? 1 : undefined;
  };
  const check = (): void =>
    checkWrites(schema, { head: block(1), since, region: () => undefined }, block(2), {
      changes,
      dataSources: [],
    });
  return { keys, check };
}

test("the check looks up entities of immutable types, and entities that would share an id", () => {
  expect(keysToCheck(schema, changes)).toEqual([
    { type: "Holder", id: "t" },
    { type: "Event", id: "e" },
    { type: "Event", id: "f" },
  ]);
});

test("the check looks up all changed entities of types that file data sources write", () => {
  expect(keysToCheck(schema, changes, new Set(["Token", "Event"]))).toEqual([
    { type: "Token", id: "t" },
    { type: "Holder", id: "t" },
    { type: "Event", id: "e" },
    { type: "Event", id: "f" },
  ]);
});

test("the check looks up nothing else", () => {
  const { keys, check } = askedFor(() => false);
  check();
  expect(keys.toSorted()).toEqual(
    keysToCheck(schema, changes)
      .map(({ type, id }) => `${type} ${id}`)
      .sort(),
  );
});

test("the check refuses changes that conflict with what it finds", () => {
  expect(askedFor((type) => type === "Holder").check).toThrow("Token[t] has the same id as Holder[t]");
  expect(askedFor((_, id) => id === "f").check).toThrow("Event[f] is immutable and was written in block 1");
});

test("the check refuses an unknown type without a look-up", () => {
  expect(keysToCheck(schema, [set("Nope", "n", {})])).toEqual([]);
});
