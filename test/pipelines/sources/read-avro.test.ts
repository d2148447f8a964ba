import { describe, expect, it } from "vitest";
import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn, ValueType } from "../../../src/pipelines/changes/schema.js";
import { avroRows } from "../../../src/pipelines/sinks/kafka/avro/avro-rows.js";
import { avroSchemas } from "../../../src/pipelines/sinks/kafka/avro/avro-schema.js";
import { readAvroSchema } from "../../../src/pipelines/sources/kafka/avro-schema.js";
import {
  readAvroEnvelope,
  readAvroKey,
  readAvroMessage,
  schemaIdOf,
} from "../../../src/pipelines/sources/kafka/read-avro.js";

const column = (name: string, type: ValueType, nullable = true): RowColumn => ({ name, type, nullable });
const message = (...bytes: readonly number[]): Uint8Array => Uint8Array.from([0, 0, 0, 0, 9, ...bytes]);
const record = (fields: object): object => ({
  type: "record",
  name: "R",
  fields: Object.entries(fields).map(([name, type]) => ({ name, type })),
});
const read = (schema: unknown, bytes: Uint8Array, ...columns: readonly RowColumn[]): unknown =>
  readAvroMessage(bytes, readAvroSchema(schema), columns).plus;

describe("a message in Avro", () => {
  it("is the row that a sink has written, with values at the edges of the encoding", () => {
    const values: Readonly<Record<ValueType, readonly RowValue[]>> = {
      STRING: ["", "ä\u0000💧"],
      JSON: ["[1]", '{"a":1}'],
      LONG: [-(2n ** 63n), 2n ** 63n - 1n],
      DOUBLE: [-0, Number.POSITIVE_INFINITY],
      DECIMAL: ["0", String(2n ** 256n - 1n)],
      NUMERIC: ["0.1", "-1234567890123456789012345678901234567890.5"],
      BOOLEAN: [true, false],
      TIMESTAMP: [-1n, 1_769_860_800_123_456n],
      "ARRAY<STRING>": [[], ["a", "b"]],
    };
    const types = Object.keys(values) as ValueType[];
    const columns = types.flatMap((type) => [column(type, type, false), column(`maybe ${type}`, type)]);
    const schema = { columns, key: [] };
    const rows = {
      count: 2,
      columns: types.flatMap((type) => [values[type], [null, values[type][1] ?? null]]),
    };
    const written = avroRows(schema, { key: undefined, value: 9 });
    for (const row of [0, 1]) {
      const bytes = written.value(rows, row);
      expect(schemaIdOf(bytes)).toBe(9);
      expect(read(JSON.parse(avroSchemas(schema).value), bytes, ...columns)).toEqual(
        rows.columns.map((all) => all[row]),
      );
    }
  });

  it("is read by the schema that it was written with, also if that has other fields, in another order", () => {
    const schema = record({ added: "int", b: ["null", "string"], a: "long" });
    const bytes = message(6, 2, 2, 120, 1);
    expect(read(schema, bytes, column("a", "LONG"), column("b", "STRING"), column("gone", "LONG"))).toEqual([
      -1n,
      "x",
      null,
    ]);
  });

  it("may have decimals, times, enums, maps, and types that are named before", () => {
    const schema = record({
      d: { type: "bytes", logicalType: "decimal", precision: 9, scale: 2 },
      f: { type: { type: "fixed", name: "F", size: 2 }, logicalType: "decimal", precision: 4 },
      t: { type: "long", logicalType: "timestamp-millis" },
      e: { type: "enum", name: "space.E", symbols: ["one", "two"] },
      again: "space.E",
      m: { type: "map", values: { type: "array", items: "int" } },
    });
    const bytes = message(4, 0xff, 0x85, 0x00, 0x2a, 4, 2, 0, 1, 6, 2, 107, 4, 2, 4, 0, 0);
    const columns = [
      column("d", "NUMERIC"),
      column("f", "NUMERIC"),
      column("t", "TIMESTAMP"),
      column("e", "STRING"),
      column("again", "STRING"),
      column("m", "JSON"),
    ];
    expect(read(schema, bytes, ...columns)).toEqual(["-1.23", "42", 2_000n, "two", "one", '{"k":[1,2]}']);
  });

  it.each([
    ["shorter than its schema", record({ a: "double" }), message(1, 2), "is shorter than its schema says"],
    ["longer than its schema", record({ a: "null" }), message(1), "is longer than its schema says"],
    ["a text beyond its end", record({ a: "string" }), message(200, 1), "does not fit its schema"],
    ["a branch that is not there", record({ a: ["null"] }), message(2), "does not fit its schema"],
    [
      "a number without an end",
      record({ a: "long" }),
      message(...Array(11).fill(255)),
      "does not fit its schema",
    ],
    [
      "a list of a million nulls",
      record({ a: { type: "array", items: "null" } }),
      message(128, 137, 122, 0),
      "too long",
    ],
    ["a text that is not UTF-8", record({ a: "string" }), message(2, 255), "has a text that is not UTF-8"],
    ["another type", record({ a: "string" }), message(2, 120), 'has "x" as "a", which is of the type LONG'],
    ["no record", "int", message(2), "is not a record"],
  ])("is refused if it is wrong: %s", (_, schema, bytes, why) => {
    expect(() => read(schema, bytes, column("a", "LONG"))).toThrow(why);
  });

  it("is refused if it contains itself too often, or has no schema", () => {
    const schema = { type: "record", name: "R", fields: [{ name: "a", type: ["R", "null"] }] };
    expect(() => read(schema, message(...Array(200).fill(0)), column("a", "JSON"))).toThrow(
      "more than 64 levels",
    );
    expect(() => schemaIdOf(Buffer.from('{"a": 1}'))).toThrow("does not begin with the id of a schema");
  });

  it.each([
    [{ type: "record", name: "R" }, "has a record without fields"],
    [record({ a: "Other" }), 'has a type "Other" that it does not define'],
    [{ type: "fixed", name: "F", size: 1e9 }, "has a fixed type without a size"],
    [5, "has a type that is not a text, a list or an object"],
  ])("is refused with a schema that cannot be understood: %j", (schema, why) => {
    expect(() => readAvroSchema(schema)).toThrow(why);
  });
});

describe("an envelope of Debezium in Avro", () => {
  const columns = [column("id", "STRING", false), column("n", "LONG")];
  const value = { ...record({ id: "string", n: ["null", "long"] }), name: "Value" };
  const envelope = record({
    before: ["null", value],
    after: ["null", "Value"],
    op: "string",
    ts_ms: ["null", "long"],
  });
  const [none, one, two] = [[0], [2, 2, 0x61, 2, 2], [2, 2, 0x61, 2, 4]] as const;
  const read = (op: string, before: readonly number[], after: readonly number[]): unknown =>
    readAvroEnvelope(message(...before, ...after, 2, op.charCodeAt(0), 0), readAvroSchema(envelope), columns);

  it("is a change of the row before and after it", () => {
    expect(read("r", none, one)).toEqual({ minus: undefined, plus: ["a", 1n] });
    expect(read("u", one, two)).toEqual({ minus: ["a", 1n], plus: ["a", 2n] });
    expect(read("d", two, none)).toEqual({ minus: ["a", 2n], plus: undefined });
  });

  it.each([
    ["u", none, two, 'is a change "u" without "before". The connector must send whole rows'],
    ["c", none, none, 'is a change "c" without "after"'],
    ["t", none, none, "says that the table was emptied"],
    ["x", none, one, 'it has no "op" c, r, u or d'],
  ])("is refused if the change is not known: %s", (op, before, after, why) => {
    expect(() => read(op, before, after)).toThrow(why);
  });
});

describe("the key of a message in Avro", () => {
  const [id, part] = [column("id", "STRING", false), column("part", "LONG", false)];

  it("is a record with its columns, or the value of the only one", () => {
    const schema = readAvroSchema(record({ part: "int", id: "string" }));
    expect(readAvroKey(message(2, 2, 0x61), schema, [id, part])).toEqual(["a", 1n]);
    expect(readAvroKey(message(2, 0x61), readAvroSchema("string"), [id])).toEqual(["a"]);
    expect(() => readAvroKey(message(2, 0x61), readAvroSchema("string"), [id, part])).toThrow("not a record");
    expect(() => readAvroKey(message(2), readAvroSchema("long"), [id])).toThrow('has 1 as "key.id"');
  });
});
