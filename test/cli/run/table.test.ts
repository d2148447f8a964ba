import { describe, expect, it } from "vitest";
import type { ShownEntity } from "../../../src/cli/run/shown-type.js";
import { table } from "../../../src/cli/run/table.js";
import type { StoreValue } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";

const hash = `0x4bc2${"0".repeat(56)}23fd`;

/** A table of one type with these fields. A field without a value is null. */
function tableOf(
  fields: string,
  rows: readonly Readonly<Record<string, StoreValue>>[],
  width = 80,
): string[] {
  const schema = readEntitySchema(`type Thing @entity(immutable: true) { id: ID! ${fields} }`);
  const entities = rows.map((row, block): ShownEntity => ({ block, entity: new Map(Object.entries(row)) }));
  return table([...(schema.types.get("Thing")?.fields.values() ?? [])], entities, width).split("\n");
}

const text = (value: string): StoreValue => ({ kind: "String", value });
const big = (value: bigint): StoreValue => ({ kind: "BigInt", value });

describe("a table of entities", () => {
  it("shortens hashes in the middle, also in strings and lists, and never shortens numbers", () => {
    expect(
      tableOf(
        "amount: BigInt! owner: Bytes! path: [Bytes!]! flag: Boolean rate: BigDecimal",
        [
          {
            id: text(`${hash}-12`),
            amount: big(-(2n ** 80n)),
            owner: { kind: "Bytes", value: "0x1234567890" },
            path: { kind: "Array", value: [{ kind: "Bytes", value: hash }] },
            flag: { kind: "Bool", value: true },
            rate: { kind: "BigDecimal", value: { digits: 15n, exponent: -1 } },
          },
          {
            id: text("b"),
            amount: big(7n),
            owner: { kind: "Bytes", value: "0x" },
            path: { kind: "Array", value: [] },
          },
        ],
        100,
      ),
    ).toEqual([
      "  id                                  amount  owner         path           flag  rate",
      "  0x4bc2…23fd-12  -1208925819614629174706176  0x1234567890  [0x4bc2…23fd]  true   1.5",
      "  b                                        7  0x            []             -        -",
      "",
    ]);
  });

  it("omits fields that do not fit, and lists them below", () => {
    const fields = "block_number: BigInt! first: String! wide: BigInt! second: String! timestamp_: BigInt!";
    const row = { first: text("x"), second: text("y"), block_number: big(1n), timestamp_: big(2n) };
    expect(tableOf(fields, [{ id: text("a"), ...row, wide: big(10n ** 40n) }], 28)).toEqual([
      "  id  first  second",
      "  a   x      y",
      "  no room to show: wide,",
      "    block_number, timestamp_",
      "",
    ]);
  });

  it("truncates long strings, counts wide characters, and escapes control characters", () => {
    expect(
      tableOf("note: String!", [{ id: text("a"), note: text(`漢\u001b[31m${"x".repeat(40)}`) }])[1],
    ).toBe(`  a   漢\\u001b[31m${"x".repeat(25)}…`);
  });
});
