import { describe, expect, it } from "vitest";
import type { RowColumn, ValueType } from "../../../src/pipelines/changes/schema.js";
import {
  readEnvelope,
  readJsonKey,
  readJsonMessage,
} from "../../../src/pipelines/sources/kafka/read-message.js";

const column = (name: string, type: ValueType, nullable = true): RowColumn => ({ name, type, nullable });
const rowOf = (json: string, ...columns: readonly RowColumn[]): unknown =>
  readJsonMessage(Buffer.from(json), columns).plus;

describe("a message as JSON", () => {
  it("keeps all digits of long numbers, in columns and within JSON", () => {
    const columns = [
      column("long", "LONG"),
      column("decimal", "DECIMAL"),
      column("numeric", "NUMERIC"),
      column("double", "DOUBLE"),
      column("json", "JSON"),
    ];
    const json = `{"long": 9223372036854775807, "decimal": -${"9".repeat(70)}, "numeric": 0.12345678901234567890,
      "double": 0.30000000000000004, "json": {"of": [12345678901234567890, "12345678901234567890"]}}`;
    expect(rowOf(json, ...columns)).toEqual([
      9223372036854775807n,
      `-${"9".repeat(70)}`,
      "0.12345678901234567890",
      0.30000000000000004,
      '{"of":[12345678901234567890,"12345678901234567890"]}',
    ]);
  });

  it("has null in columns that it does not have, and leaves out members without a column", () => {
    const json = '{"b": "x", "c": 1, "t": "2026-01-31T12:00:00.000001Z", "list": ["a"]}';
    const columns = [column("a", "LONG"), column("b", "STRING"), column("t", "TIMESTAMP")];
    expect(rowOf(json, ...columns, column("list", "ARRAY<STRING>"), column("toString", "STRING"))).toEqual([
      null,
      "x",
      1_769_860_800_000_001n,
      ["a"],
      null,
    ]);
  });

  it.each([
    ["\xff", "is not a JSON object"],
    ["[1]", 'is not a JSON object: "[1]"'],
    ['{"a": 1.5}', 'has 1.5 as "a", which is of the type LONG'],
    ['{"a": 9223372036854775808}', 'has 9223372036854775808 as "a", which is of the type LONG'],
    ['{"a": 12345678901234567.8.9}', "is not a JSON object"],
    ['{"a": 00000000000000000001}', "is not a JSON object"],
    [`{"a": ${"[".repeat(100)}${"]".repeat(100)}}`, "has more than 64 levels of JSON"],
    ['{"key": null}', 'has null as "key", which is of the type STRING'],
  ])("is refused if a column cannot hold it: %s", (json, why) => {
    const columns = [column("a", "LONG"), ...(json.includes("key") ? [column("key", "STRING", false)] : [])];
    expect(() => rowOf(json, ...columns)).toThrow(why);
  });

  it("is refused if it is not UTF-8", () => {
    expect(() => readJsonMessage(Uint8Array.of(0xff), [])).toThrow("is not text in UTF-8");
  });
});

describe("the key of a message as JSON", () => {
  const keyOf = (text: string, ...columns: readonly RowColumn[]): unknown =>
    readJsonKey(Buffer.from(text), columns);
  const [id, part] = [column("id", "STRING", false), column("part", "LONG", false)];

  it("is an object with its columns, or the value of the only one, as text or as JSON", () => {
    expect(keyOf('{"part": 12345678901234567, "id": "a", "x": 1}', id, part)).toEqual([
      "a",
      12345678901234567n,
    ]);
    expect(
      ["a b", '"a b"', "12345678901234567890", '{"id": "5"}', "{x"].map((text) => keyOf(text, id)),
    ).toEqual([["a b"], ["a b"], ["12345678901234567890"], ["5"], ["{x"]]);
    expect(["12345678901234567", '"5"'].map((text) => keyOf(text, part))).toEqual([
      [12345678901234567n],
      [5n],
    ]);
  });

  it.each([
    ["a", [id, part], 'has null as "key.id"'],
    ['{"id": "a"}', [id, part], 'has null as "key.part"'],
    ["x", [part], 'has "x" as "key.part", which is of the type LONG'],
    ['{"id": 5}', [id], 'has 5 as "key.id"'],
  ])("is refused if it does not hold them: %s", (text, columns, why) => {
    expect(() => keyOf(text, ...columns)).toThrow(why);
  });
});

describe("an envelope of Debezium", () => {
  const columns = [column("id", "STRING", false), column("n", "LONG")];
  const [one, two] = [
    { id: "a", n: 1 },
    { id: "a", n: 2 },
  ];
  const read = (envelope: object): unknown => readEnvelope(Buffer.from(JSON.stringify(envelope)), columns);

  it("is a change of the row before and after it, with or without a schema", () => {
    expect(read({ op: "r", before: null, after: one })).toEqual({ minus: undefined, plus: ["a", 1n] });
    expect(read({ schema: {}, payload: { op: "u", before: one, after: two } })).toEqual({
      minus: ["a", 1n],
      plus: ["a", 2n],
    });
    expect(read({ op: "d", before: two, after: null })).toEqual({ minus: ["a", 2n], plus: undefined });
  });

  it.each([
    [
      { op: "u", before: null, after: two },
      'is a change "u" without "before". The connector must send whole rows',
    ],
    [{ op: "d" }, "REPLICA IDENTITY FULL"],
    [{ op: "c", after: null }, 'is a change "c" without "after"'],
    [{ op: "t" }, "says that the table was emptied"],
    [one, 'it has no "op" c, r, u or d'],
    [{ op: "c", after: { id: "a", n: "x" } }, 'has "x" as "after.n", which is of the type LONG'],
  ])("is refused if the change is not known: %j", (envelope, why) => {
    expect(() => read(envelope)).toThrow(why);
  });
});
