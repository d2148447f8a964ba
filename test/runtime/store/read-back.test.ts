import { expect, test } from "vitest";
import { decimalText, normalized } from "../../../src/runtime/numbers/big-decimal.js";
import { readBack, readBackOf } from "../../../src/runtime/store/read-back.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { entity, list, none, remove, set, text } from "./values.js";

const sixes = (count: number): bigint => BigInt("6".repeat(count));
/** A negative number of 35 digits, all of which it keeps when it is computed. */
const kept = normalized(-sixes(35), 1);
const number = (value: typeof kept) => ({ kind: "BigDecimal", value }) as const;
const shown = (value: unknown): string => decimalText((value as ReturnType<typeof number>).value);

test("a negative decimal with zeros after its 35 digits is read back with 34 digits", () => {
  expect(decimalText(kept)).toBe(`-${"6".repeat(35)}0`);
  const given = entity({ id: text("1"), one: number(kept), many: list(number(kept)) });
  const found = readBack(given);
  expect(shown(found.get("one"))).toBe(`-${"6".repeat(34)}00`);
  expect(found.get("many")).toEqual(list(number({ digits: -sixes(34), exponent: 2 })));
  expect(shown(given.get("one"))).toBe(decimalText(kept));
  expect(readBack(found)).toBe(found);
});

test.each([
  ["positive", normalized(sixes(35), 1)],
  ["with decimals", normalized(-sixes(35), -1)],
  ["whole, without zeros", normalized(-sixes(35), 0)],
  ["zero", normalized(0n, 0)],
])("a decimal that is %s is read back unchanged", (_, value) => {
  const given = entity({ one: number(value), many: list(number(value)), none });
  expect(readBack(given)).toBe(given);
});

test("the store converts only types with decimals", () => {
  const schema = readEntitySchema(`
    type Plain @entity { id: ID! name: String }
    type Priced @entity { id: ID! price: BigDecimal! }
  `);
  const changes = [set("Plain", "1", {}), set("Priced", "1", { price: number(kept) }), remove("Priced", "2")];
  const [plain, priced, removed] = readBackOf(schema)(changes);
  expect(plain).toBe(changes[0]);
  expect(removed).toBe(changes[2]);
  expect(priced).toEqual(set("Priced", "1", { price: number({ digits: -sixes(34), exponent: 2 }) }));
});
