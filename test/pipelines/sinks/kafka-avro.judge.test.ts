import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import type { ValueType } from "../../../src/pipelines/changes/schema.js";
import { avroRows } from "../../../src/pipelines/sinks/kafka/avro/avro-rows.js";
import { avroSchemas } from "../../../src/pipelines/sinks/kafka/avro/avro-schema.js";
import { lackOfPython, runPython } from "../../support/database/test-python.js";
import { testFolder } from "../../support/folder.js";
import { randomOf } from "../../support/pipelines/random.js";

const missing = lackOfPython("fastavro");

const edges: readonly bigint[] = [7n, 14n, 31n, 32n, 51n, 52n, 53n, 62n].flatMap((bits) =>
  [-1n, 0n, 1n].flatMap((by) => [2n ** bits + by, -(2n ** bits) + by]),
);
const longs = [0n, 1n, -1n, 63n, 64n, -64n, -65n, 2n ** 63n - 1n, -(2n ** 63n), ...edges];
const texts = ["", "a", "ä\u0000💧", "x".repeat(300), '{"a": 1}'];

/** Values of each type, with those at the edges of the encoding. */
const values: Readonly<Record<ValueType, readonly NonNullable<RowValue>[]>> = {
  STRING: texts,
  JSON: texts,
  LONG: longs,
  DOUBLE: [0, -0, 1.5, -1e308, Number.MIN_VALUE, Number.POSITIVE_INFINITY],
  DECIMAL: ["0", "-1", String(2n ** 256n - 1n)],
  NUMERIC: ["0.1", "-123456789012345678901234567890.5"],
  BOOLEAN: [true, false],
  TIMESTAMP: [0n, 1n, 1_769_860_800_123_456n, -1n],
  "ARRAY<STRING>": [[], ["a"], texts],
};

const types = Object.keys(values) as ValueType[];
const schema = {
  columns: types.flatMap((type, index) =>
    [false, true].map((nullable) => ({ name: `${nullable ? "maybe" : "sure"}_${index}`, type, nullable })),
  ),
  key: ["sure_0", "sure_2"],
};

/** What a value is in the JSON that the judge prints. */
function judged(value: RowValue | undefined, type: ValueType | undefined): unknown {
  if (typeof value === "bigint") return type === "TIMESTAMP" ? `time ${value}` : `long ${value}`;
  if (typeof value === "number")
    return Number.isFinite(value) ? (Object.is(value, -0) ? "-0.0" : value) : String(value);
  return value;
}

const script = `
import datetime, fastavro, io, json, struct
with open("records.json") as file: given = json.load(file)
epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
def shown(value):
    if isinstance(value, datetime.datetime): return "time %d" % ((value - epoch) // datetime.timedelta(microseconds=1))
    if isinstance(value, bool): return value
    if isinstance(value, int): return "long %d" % value
    if value == float("inf"): return "Infinity"
    if isinstance(value, float) and value == 0 and str(value).startswith("-"): return "-0.0"
    return value
def read(part, schema, number):
    parsed, rows = fastavro.parse_schema(json.loads(schema)), []
    for text in part:
        data = bytes.fromhex(text)
        assert data[0] == 0 and struct.unpack(">I", data[1:5])[0] == number
        stream = io.BytesIO(data[5:])
        rows.append([shown(value) for value in fastavro.schemaless_reader(stream, parsed).values()])
        assert stream.read() == b""
    return rows
print(json.dumps([read(given["keys"], given["key"], 7), read(given["values"], given["value"], 70000)]))
`;

it.skipIf(missing !== undefined)(
  `the message is Avro as another program reads it${missing ? `: ${missing}` : ""}`,
  () => {
    const random = randomOf(1);
    const count = 200;
    const columns = schema.columns.map(({ type, nullable }) =>
      Array.from({ length: count }, (_, row): RowValue => {
        if (nullable && random() < 0.3) return null;
        const all = values[type];
        // Each value once, then any of them.
        return all[row < all.length ? row : Math.floor(random() * all.length)] ?? null;
      }),
    );
    const rows = { count, columns };
    const format = avroRows(schema, { key: 7, value: 70_000 });
    const hex = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? "").toString("hex");
    const all = Array.from({ length: count }, (_, row) => row);
    const folder = testFolder();
    writeFileSync(
      join(folder, "records.json"),
      JSON.stringify({
        ...avroSchemas(schema),
        key: avroSchemas(schema).key,
        keys: all.map((row) => hex(format.key(rows, row))),
        values: all.map((row) => hex(format.value(rows, row))),
      }),
    );
    const indexes = schema.columns.map((_, index) => index);
    const expected = (chosen: readonly number[]): unknown =>
      all.map((row) => chosen.map((index) => judged(columns[index]?.[row], schema.columns[index]?.type)));
    const ofKey = indexes.filter((index) => schema.key.includes(schema.columns[index]?.name ?? ""));
    expect(runPython(script, folder)).toEqual([expected(ofKey), expected(indexes)]);
  },
);
