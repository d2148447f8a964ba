import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Interface } from "ethers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Rows } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { openDuckDb } from "../../../src/pipelines/machine/duckdb/open-duckdb.js";
import { openRowStore } from "../../../src/pipelines/machine/duckdb/row-store.js";
import { QueryError, type SqlEngine } from "../../../src/pipelines/sql/engine.js";
import { functionNamed, sqlFunctions } from "../../../src/pipelines/sql/functions.js";
import { testFolder } from "../../support/folder.js";
import { oddTexts, zeroTexts } from "../../support/pipelines/odd-texts.js";
import { storedRows } from "../../support/pipelines/stored-rows.js";

const most = String(2n ** 256n - 1n);

let engine: SqlEngine;
beforeEach(async () => {
  engine = await openDuckDb({ memory: 256, time: 2_000 });
});
afterEach(() => engine.close());

const columns: readonly RowColumn[] = [
  { name: "text", type: "STRING", nullable: true },
  { name: "long", type: "LONG", nullable: true },
  { name: "real", type: "DOUBLE", nullable: true },
  { name: "wide", type: "DECIMAL", nullable: true },
  { name: "flag", type: "BOOLEAN", nullable: true },
  { name: "time", type: "TIMESTAMP", nullable: true },
  { name: "list", type: "ARRAY<STRING>", nullable: true },
];

const rows: Rows = {
  count: 3,
  columns: [
    ["ä€😀", "", null],
    [2n ** 63n - 1n, -(2n ** 63n), null],
    [0.1, -1e300, null],
    [most, "-1", null],
    [true, false, null],
    [1_700_000_000_123_456n, 0n, null],
    [["a", 'b,"c'], [], null],
  ],
};

/** The single value of an expression over one empty-texted row. */
async function evaluate(expression: string): Promise<unknown> {
  const one: readonly RowColumn[] = [{ name: "x", type: "STRING", nullable: true }];
  await engine.createTable("one", one);
  await engine.fill("one", one, { count: 1, columns: [[""]] });
  const made = await engine.createView("made", `select ${expression} as value from one`);
  return (await engine.rowsOf("made", made)).columns[0]?.[0];
}

describe("DuckDB as the SQL of a flow", () => {
  it("returns every value of any type unchanged", async () => {
    await engine.createTable("base.t", columns);
    await engine.fill("base.t", columns, rows);
    const made = await engine.createView("v", "select * from base.t");
    expect(made).toEqual(columns);
    expect(await engine.rowsOf("v", made)).toEqual(rows);
  });

  it("keeps every text unchanged, in columns, lists, JSON, and through functions", async () => {
    const texts = Object.values({ ...oddTexts, ...zeroTexts });
    const one: readonly RowColumn[] = [
      { name: "text", type: "STRING", nullable: true },
      { name: "list", type: "ARRAY<STRING>", nullable: true },
    ];
    await engine.define({
      name: "echo",
      parameters: ["text", "texts"],
      result: "texts",
      compute: ([text, list]) => [text, ...(list as readonly string[])] as readonly string[],
    });
    await engine.createTable("t", one);
    const given = { count: texts.length, columns: [texts, texts.map((text) => [text, ""])] };
    await engine.fill("t", one, given);
    const made = await engine.createView(
      "v",
      "select text, list, to_json({a: text}) as json, echo(text || '', list) as echoed, [text] as alone from t",
    );
    const { columns: read } = await engine.rowsOf("v", made);
    expect(read[0]).toEqual(texts);
    expect(read[1]).toEqual(given.columns[1]);
    expect(read[2]?.map((json) => JSON.parse(String(json)))).toEqual(texts.map((text) => ({ a: text })));
    expect(read[3]).toEqual(texts.map((text) => [text, text, ""]));
    expect(read[4]).toEqual(texts.map((text) => [text]));
    const stored = await storedRows(engine, testFolder(), { name: "t", columns: one }, given, ["text"]);
    expect(await stored.rows()).toEqual(given);
  });

  it("holds only the rows of the last batch", async () => {
    await engine.createTable("t", columns);
    await engine.fill("t", columns, rows);
    const some = { count: 1, columns: rows.columns.map((column) => column.slice(2)) };
    await engine.fill("t", columns, some);
    expect(await engine.rowsOf("t", columns)).toEqual(some);
  });

  it("accepts batches that are larger than its chunks", async () => {
    const one: readonly RowColumn[] = [{ name: "n", type: "LONG", nullable: false }];
    const many = { count: 5_000, columns: [Array.from({ length: 5_000 }, (_, index) => BigInt(index))] };
    await engine.createTable("t", one);
    await engine.fill("t", one, many);
    const made = await engine.createView("v", "select n from t where n >= 2047");
    expect((await engine.rowsOf("v", made)).columns[0]).toEqual(many.columns[0]?.slice(2_047));
  });

  it("compares and adds integers of 256 bits exactly", async () => {
    await engine.createTable("t", columns);
    await engine.fill("t", columns, rows);
    const made = await engine.createView(
      "v",
      `select wide - 1 as less from t where wide > '${BigInt(most) - 1n}'`,
    );
    expect(made).toEqual([{ name: "less", type: "DECIMAL", nullable: true }]);
    expect((await engine.rowsOf("v", made)).columns).toEqual([[String(BigInt(most) - 1n)]]);
  });

  it.each([
    "select * from read_text('/etc/hostname')",
    "select * from '/etc/hostname'",
    "select * from read_csv('https://example.com/x.csv')",
    "select * from sqlite_scan('/tmp/x', 'y')",
    "select * from glob('/etc/*')",
    "select * from read_blob('/etc/hostname')",
    "select * from parquet_scan('s3://bucket/x.parquet')",
    "select * from 'https://example.com/x.parquet'",
    "select * from postgres_scan('host=localhost', 'public', 't')",
    "select getenv('HOME') as home",
    "select * from st_read('/tmp/x.shp')",
  ])("cannot reach anything outside: %s", async (query) => {
    await expect(engine.createView("v", query)).rejects.toThrow(QueryError);
  });

  it("reads a file for our own query, and for no query of users", async () => {
    const path = join(testFolder(), "rows.parquet");
    const column: readonly RowColumn[] = [{ name: "text", type: "STRING", nullable: true }];
    await engine.createTable("given", column);
    await engine.createView("chosen", "select text from given");
    const chosen = { name: "chosen", columns: column };
    const given = { name: "given", columns: column };
    const made = await storedRows(engine, testFolder(), given, { count: 2, columns: [["a", "b"]] }, ["text"]);
    await made.copyTo(path, { format: "parquet", about: { made: "here" } });
    const stored = {
      files: [path],
      query: (at: (one: string) => string) => `select text from read_parquet('${at(path)}')`,
    };
    const read = await engine.takeFrom(stored, "given", chosen, ["text"]);
    expect(await read.rows()).toEqual({ count: 2, columns: [["a", "b"]] });
    expect(await read.facts()).toEqual({ ...(await made.facts()), isUnique: true });
    for (const query of [`select * from read_parquet('${path}')`, `select * from '${path}'`])
      await expect(engine.createView("spy", query)).rejects.toThrow(
        "a query cannot reach files or the network",
      );
  });

  it("computes stored rows where queries reach nothing but copies of their files", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "secret.csv"), "a\n1\n");
    const store = await openRowStore(await import("@duckdb/node-api"), 256);
    try {
      for (const path of [join(folder, "secret.csv"), join(folder, "*"), "/etc/passwd"])
        await expect(
          store.define({ kind: "view", name: "spy", names: [], query: `select * from read_csv('${path}')` }),
          path,
        ).rejects.toThrow("disabled by configuration");
    } finally {
      store.close();
    }
  });

  it("ends a query that takes too long, and continues", async () => {
    const made = await engine.createView(
      "v",
      "select count(*) as n from range(1000000000000) t(x) where x % 7 = 3",
    );
    await expect(engine.rowsOf("v", made)).rejects.toThrow("the query takes too long");
    expect(await evaluate("1 + 1")).toBe(2n);
  });

  it("ends an endless recursion, and continues", async () => {
    const quick = await openDuckDb({ memory: 256, time: 300 });
    const endless =
      "with recursive t as (select 1 as n union all select n + 1 from t) select max(n) as n from t";
    const made = await quick.createView("v", endless);
    await expect(quick.rowsOf("v", made)).rejects.toThrow("the query takes too long");
    const next = await quick.createView("w", "select 1 + 1 as n");
    expect((await quick.rowsOf("w", next)).columns).toEqual([[2n]]);
    quick.close();
  });

  it("keeps its settings after any query", async () => {
    for (const text of [
      "install httpfs",
      "load httpfs",
      "set enable_external_access = true",
      "pragma memory_limit = '100GB'",
      "attach '/tmp/x.db'",
      "copy (select 1) to '/tmp/x.csv'",
    ]) {
      expect((await engine.parse(text)).kind, text).toBe("fault");
      await expect(engine.createView("v", text), text).rejects.toThrow(QueryError);
      await expect(engine.createView("v", `select 1 as a; ${text}`), text).rejects.toThrow();
    }
  });

  it("ends a query that uses too much memory, and continues", async () => {
    const made = await engine.createView(
      "v",
      "select list(x::varchar || repeat('y', 1000)) as n from range(100000000) t(x)",
    );
    await expect(engine.rowsOf("v", made)).rejects.toThrow(QueryError);
    expect(await evaluate("1 + 1")).toBe(2n);
  });

  it("says where a column is unknown, and suggests the intended one", async () => {
    await engine.createTable("t", columns);
    const query = "select\n  text,\n  lon from t";
    const error = await engine.createView("v", query).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(QueryError);
    expect(query.slice((error as QueryError).offset)).toBe("lon from t");
    expect((error as QueryError).hint).toBe("write long");
    const other = await engine.createView("w", "select recipient from t").catch((thrown: unknown) => thrown);
    expect((other as QueryError).hint).toBeUndefined();
  });
});

describe("functions for chain data", () => {
  beforeEach(async () => {
    for (const one of sqlFunctions) await engine.define(one);
  });

  it.each([
    [`u256_mul('${2n ** 128n}', '${2n ** 127n}')`, String(2n ** 255n)],
    [`u256_div('${most}', '3')`, String(BigInt(most) / 3n)],
    ["u256_mod('17', '5')", "2"],
    ["i256_sub('3', '5')", "-2"],
    ["to_u256('0xff')", "255"],
    ["u256_to_string(to_u256('12'))", "12"],
    ["u256_add(null, '1')", null],
    [
      "keccak256('Transfer(address,address,uint256)')",
      "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    ],
    ["keccak256('0x')", "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"],
  ])("%s", async (expression, value) => {
    expect(await evaluate(expression)).toBe(value);
  });

  it.each([
    ["u256_sub('3', '5')", "-2 is not a u256"],
    [`u256_add('${most}', '1')`, "is not a u256"],
    ["u256_div('1', '0')", "division by zero"],
    ["to_u256('1.5')", '"1.5" is not an integer'],
    ["keccak256(evm_log_decode('nonsense', '0x', '0x').name)", "the ABI cannot be read"],
    ["keccak256(evm_log_decode('Sent(address)', '0x', '0x').name)", "the ABI cannot be read"],
    ["keccak256(evm_log_decode('event Sent(addres to', '0x', '0x').name)", "the ABI cannot be read"],
    ["keccak256(evm_log_decode('modifier f()', '0x', '0x').name)", "the ABI cannot be read"],
  ])("%s is an error", async (expression, message) => {
    await expect(evaluate(expression)).rejects.toThrow(message);
  });

  it("decodes logs and calls, and returns null for other contracts", async () => {
    const abi = new Interface([
      "event Sent(address indexed to, uint256 amount, string note)",
      "function f(uint8[] x) returns (bool)",
    ]);
    const to = `0x${"ab".repeat(20)}`;
    const { topics, data } = abi.encodeEventLog("Sent", [to, 2n ** 256n - 1n, "it's"]);
    const input = abi.encodeFunctionData("f", [[1, 2]]);
    const output = abi.encodeFunctionResult("f", [true]);
    const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
    const json = quoted(abi.formatJson());
    expect(
      JSON.parse(
        String(
          await evaluate(`[
            to_json(evm_log_decode(${json}, ${quoted(topics.join(","))}, ${quoted(data)})),
            to_json(evm_log_decode(${json}, ${quoted(topics.join(","))}, '0x')),
            to_json(evm_log_decode(${json}, ${quoted(`0x${"1".repeat(64)}`)}, ${quoted(data)})),
            to_json(evm_tx_decode(${json}, ${quoted(input)}, ${quoted(output)})),
            to_json(evm_tx_decode(${json}, '0x12345678', '0x'))]`),
        ),
      ),
    ).toEqual([
      { name: "Sent", event_signature: "Sent", event_params: [to, most, "it's"] },
      null,
      null,
      { function: "f", decoded_inputs: ["[1,2]"], decoded_outputs: ["true"] },
      null,
    ]);
  });

  it("decodes logs by an ABI in Solidity's form", async () => {
    const abi = "event Other();\n event Sent(address indexed to, uint256 amount);\nfunction f(uint8 x)";
    const to = `0x${"ab".repeat(20)}`;
    const { topics, data } = new Interface(["event Sent(address indexed to, uint256 amount)"]).encodeEventLog(
      "Sent",
      [to, 7n],
    );
    const call = (text: string): string => `evm_log_decode('${text}', '${topics.join(",")}', '${data}')`;
    expect(await evaluate(`${call(abi)}.event_signature`)).toBe("Sent");
  });

  it.each([
    ["split_index('a::b:', ':', 2)", "b"],
    ["split_index('a::b:', ':', 1)", ""],
    ["split_index('a::b:', ':', 4)", null],
    ["split_index('a', ':', -1)", null],
    ["split_index('a b', '', 1)", "b"],
    ["split_index(null, ':', 0)", null],
    ["from_unixtime(1700000000)", "2023-11-14 22:13:20"],
    ["from_unixtime(-1)", "1969-12-31 23:59:59"],
    ["from_unixtime(253402300800)", null],
  ])("%s is %s, as in Flink", async (expression, value) => {
    expect(await evaluate(expression)).toBe(value);
  });

  it.each([
    ["to_timestamp_ltz(1700000000, 0)", "2023-11-14 22:13:20"],
    ["to_timestamp_ltz(1700000000123::bignum, 3)", "2023-11-14 22:13:20.123"],
    ["split_string_by('a b')", "[a, b]"],
    ["split_string_by('a-b', '-')[2]", "b"],
    ["_ab_generate_series(1, 5, 2)", "[1, 3, 5]"],
    ["array_enumerate(['a', 'b'])", "[{'index': 0, 'value': a}, {'index': 1, 'value': b}]"],
    ["zip_arrays(['a'], [1])", "[(a, 1)]"],
    ["array_filter([{'k': 'a', 'n': 1}, {'k': 'b', 'n': 2}], 'k', 'b')", "[{'k': b, 'n': 2}]"],
    ["array_filter_first([{'k': 'a', 'n': 1}, {'k': 'a', 'n': 2}], 'k', 'a').n", "1"],
    ["len(array_filter_in([{'k': 'a'}, {'k': 'b'}, {'k': 'c'}], 'k', ['a', 'c']))", "2"],
    ["is_json('{')", "false"],
    ["try_parse_json('{')", null],
    ["json_query('{\"a\": [1]}', '$.a')", "[1]"],
    ["json_string('a')", '"a"'],
  ])("%s is %s, as other engines compute it", async (expression, value) => {
    const [name = ""] = /^\w+(?=\()|(?<=\()\w+(?=\()/g.exec(expression.replace(/^len\(/, "")) ?? [];
    const found = functionNamed(name);
    if (!found) throw new Error(`there is no function ${name}`);
    await engine.define(found);
    expect(await evaluate(`(${expression})::varchar`)).toBe(value);
  });

  it("has the names that services use, with any prefix", () => {
    expect(functionNamed("_ab_log_decode")).toMatchObject({ result: "decoded_log" });
    expect(functionNamed("tx_decode")).toMatchObject({ result: "decoded_call" });
    expect(functionNamed("_abc_log_decode")).toBeUndefined();
  });
});

describe("operators on integers of 256 bits", () => {
  const wide = `'${most}'::bignum`;
  it.each([
    [`${wide} * 3`, String((2n ** 256n - 1n) * 3n)],
    [`${wide} * ${wide}`, String((2n ** 256n - 1n) ** 2n)],
    [`${wide} / 10`, String((2n ** 256n - 1n) / 10n)],
    [`${wide} // 10`, String((2n ** 256n - 1n) / 10n)],
    [`-${wide} % 10`, String(-(2n ** 256n - 1n) % 10n)],
    [`abs(-${wide})`, most],
    [`to_hex(${wide})`, "F".repeat(64)],
    [`hex(${wide})`, "F".repeat(64)],
    [`bin(${wide})`, "1".repeat(256)],
    [`${wide} * null`, null],
    ["7 * 6", 42n],
    ["7 / 2", 3.5],
    ["7 % 4", 3n],
    ["'3000000000000000000'::bignum / 1e18", 3],
  ])("%s", async (expression, value) => {
    expect(await evaluate(expression)).toBe(value);
  });

  it.each([
    [`${wide} / 0`, "division by zero"],
    [
      `'${"9".repeat(12_000)}'::bignum * '${"9".repeat(12_000)}'::bignum`,
      "a product has more than 65,536 bits",
    ],
  ])("end a query that cannot be computed", async (expression, message) => {
    await expect(evaluate(expression)).rejects.toThrow(message);
  });
});
