import { expect, it } from "vitest";
import { clickHouseType } from "../../../src/pipelines/definition/clickhouse-type.js";

it.each([
  ["String", { text: "String", nullable: false, form: { kind: "string" } }],
  [
    "Nullable(UInt256)",
    { text: "Nullable(UInt256)", nullable: true, form: { kind: "integer", bits: 256, isSigned: false } },
  ],
  ["Int8", { text: "Int8", nullable: false, form: { kind: "integer", bits: 8, isSigned: true } }],
  [
    "LowCardinality(Nullable(String))",
    { text: "Nullable(String)", nullable: true, form: { kind: "string" } },
  ],
  ["FixedString(42)", { text: "FixedString(42)", nullable: false, form: { kind: "fixed", bytes: 42 } }],
  [
    "Decimal(76, 18)",
    { text: "Decimal(76, 18)", nullable: false, form: { kind: "decimal", digits: 76, scale: 18 } },
  ],
  [
    "DateTime64(6, 'UTC')",
    { text: "DateTime64(6, 'UTC')", nullable: false, form: { kind: "datetime64", scale: 6 } },
  ],
  [
    "DateTime('Europe/Berlin')",
    { text: "DateTime('Europe/Berlin')", nullable: false, form: { kind: "datetime" } },
  ],
  ["Array(String)", { text: "Array(String)", nullable: false, form: { kind: "strings" } }],
])("the parser reads %s", (text, type) => {
  expect(clickHouseType(text)).toEqual(type);
});

it("the parser reports values that it cannot write", () => {
  const others = [
    "",
    "text",
    "UInt512",
    "Decimal(77, 0)",
    "Decimal(9, 10)",
    "Nullable(Array(String))",
    "Array(UInt8)",
  ];
  for (const text of [
    ...others,
    "JSON",
    "Enum8('a' = 1)",
    "String) ENGINE = Null --",
    "DateTime64(6, 'a\\'b')",
  ])
    expect(clickHouseType(text), text).toBeUndefined();
});
