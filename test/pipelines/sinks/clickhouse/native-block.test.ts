import { expect, it } from "vitest";
import type { RowValue } from "../../../../src/pipelines/changes/rows.js";
import type { ValueType } from "../../../../src/pipelines/changes/schema.js";
import { type ClickHouseType, clickHouseType } from "../../../../src/pipelines/definition/clickhouse-type.js";
import { nativeBlock } from "../../../../src/pipelines/sinks/clickhouse/native-block.js";
import { RowError } from "../../../../src/pipelines/sinks/sink.js";

const kind = { names: { version: "v", isDeleted: "d" }, version: 1, isDeleted: () => false };

/** Writes values as a column of a type. */
function write(from: ValueType, values: readonly RowValue[], chosen: string): Uint8Array {
  const type = clickHouseType(chosen) as ClickHouseType;
  const column = { name: "value", type, from, index: 0 };
  return nativeBlock([column], { count: values.length, columns: [values] }, kind);
}

it.each<readonly [ValueType, RowValue, string, string]>([
  [
    "DECIMAL",
    "-1",
    "Nullable(UInt256)",
    `Column value: -1 is not between 0 and ${2n ** 256n - 1n}, so it does not fit Nullable(UInt256).`,
  ],
  ["DECIMAL", String(2n ** 256n), "UInt256", "is not between 0 and"],
  ["DECIMAL", "256", "UInt8", "256 is not between 0 and 255, so it does not fit UInt8."],
  ["NUMERIC", "0.001", "Decimal(9, 2)", "0.001 has more than 2 digits after the decimal point"],
  ["NUMERIC", "12345678", "Decimal(9, 2)", "has more than 7 digits before the decimal point"],
  ["STRING", "0x12", "FixedString(3)", "0x12 has 4 bytes, not 3, so it does not fit FixedString(3)."],
  ["STRING", "ten", "UInt64", "ten is not an integer"],
  ["LONG", -1n, "DateTime", "-1 is not between 1970 and 2106"],
  ["TIMESTAMP", 2n ** 62n, "DateTime64(6)", "is not between 1900 and 2299"],
  ["TIMESTAMP", 1_500n, "DateTime64(3)", "has more than 3 digits of a second"],
  ["DOUBLE", null, "Float64", "null does not fit Float64."],
])("the encoder refuses a %s that does not fit: %s as %s", (type, value, chosen, why) => {
  expect(() => write(type, [value], chosen)).toThrow(RowError);
  expect(() => write(type, [value], chosen)).toThrow(why);
});

it("the encoder writes a missing list as an empty one", () => {
  const [missing, empty] = [null, []].map((list) =>
    write("ARRAY<STRING>", [["a"], list, ["b"]], "Array(String)"),
  );
  expect(missing).toEqual(empty);
});

it("the encoder names all rows that do not fit, each with its column and its reason", () => {
  const error = (() => {
    try {
      return write("DECIMAL", ["1", "-1", null, "2", "300"], "UInt8");
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toMatchObject({
    message: "Column value: -1 is not between 0 and 255, so it does not fit UInt8.",
    refused: [
      { row: 1, column: "value", why: "-1 is not between 0 and 255, so it does not fit UInt8." },
      { row: 2, column: "value", why: expect.stringContaining("null does not fit UInt8") },
      { row: 4, column: "value", why: "300 is not between 0 and 255, so it does not fit UInt8." },
    ],
  });
});
