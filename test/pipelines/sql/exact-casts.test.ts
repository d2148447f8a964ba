import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { openDuckDb } from "../../../src/pipelines/machine/duckdb/open-duckdb.js";
import type { SqlEngine } from "../../../src/pipelines/sql/engine.js";

let engine: SqlEngine;
beforeEach(async () => {
  engine = await openDuckDb({ memory: 256, time: 5_000 });
});
afterEach(() => engine.close());

const most = 2n ** 256n - 1n;
const amounts = [0n, 5n, -7n, 2n ** 63n, 2n ** 127n - 1n, 2n ** 128n - 1n, most, -(2n ** 255n)];
const columns: readonly RowColumn[] = [
  { name: "amount", type: "DECIMAL", nullable: true },
  { name: "text", type: "STRING", nullable: true },
  { name: "flag", type: "BOOLEAN", nullable: true },
];

async function valuesOf(query: string, values: readonly (bigint | null)[] = [...amounts, null]) {
  const given = values.map((value) => (value === null ? null : String(value)));
  await engine.createTable("t", columns);
  await engine.fill("t", columns, { count: given.length, columns: [given, given, given.map(() => true)] });
  const made = await engine.createView("v", query);
  const { columns: read } = await engine.rowsOf("v", made);
  return { made, values: read[0] };
}

const integers = {
  TINYINT: 8n,
  SMALLINT: 16n,
  INTEGER: 32n,
  BIGINT: 64n,
  HUGEINT: 128n,
} as const;
const decimals = ["DECIMAL(38,0)", "DECIMAL(38, 0)", "NUMERIC(10)", "DECIMAL(38,18)"];

/** What a cast of each amount gives: null where it does not fit. */
function fitting(least: bigint, greatest: bigint): readonly (bigint | null)[] {
  return [...amounts.map((amount) => (amount >= least && amount <= greatest ? amount : null)), null];
}

describe("a cast of an integer of up to 256 bits", () => {
  it.each(Object.entries(integers))("to %s is exact, or null with TRY_CAST", async (type, bits) => {
    const expected = fitting(-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n);
    const { values } = await valuesOf(`select try_cast(amount as ${type}) as value from t`);
    expect(values?.map((value) => (value === null ? null : BigInt(String(value))))).toEqual(expected);
  });

  it.each(Object.entries(integers))("to U%s is exact, or null with TRY_CAST", async (type, bits) => {
    const { values } = await valuesOf(`select try_cast(amount as U${type}) as value from t`);
    const expected = fitting(0n, 2n ** bits - 1n);
    expect(values?.map((value) => (value === null ? null : BigInt(String(value))))).toEqual(expected);
  });

  it.each(decimals)("to %s is exact, or null with TRY_CAST", async (type) => {
    const [, width = "18", scale = "0"] = /\((\d+)(?:, *(\d+))?\)/.exec(type) ?? [];
    const least = 10n ** (BigInt(width) - BigInt(scale)) - 1n;
    const { values } = await valuesOf(`select try_cast(amount as ${type}) as value from t`);
    const read = values?.map((value) => (value === null ? null : BigInt(String(value).replace(/\.0+$/, ""))));
    expect(read).toEqual(fitting(-least, least));
    const plain = await engine.createView("w", `select amount::${type} as value from t where amount < 9`);
    await engine.fill("t", columns, {
      count: 2,
      columns: [
        ["5", "-7"],
        ["", ""],
        [true, true],
      ],
    });
    expect((await engine.rowsOf("w", plain)).columns[0]?.map(Number)).toEqual([5, -7]);
  });

  it("names the value that does not fit", async () => {
    const failing = valuesOf("select cast(amount as decimal(38,0)) as value from t", [5n, most]);
    await expect(failing).rejects.toThrow(String(most));
  });

  it.each([
    "NUMERIC(78)",
    "NUMERIC(78,0)",
    "DECIMAL(100)",
    "decimal(77, 0)",
  ])("to %s keeps every digit", async (type) => {
    const { made, values } = await valuesOf(`select cast(amount as ${type}) as value from t`);
    expect(made[0]?.type).toBe("DECIMAL");
    expect(values).toEqual([...amounts.map(String), null]);
  });

  it.each([
    ["computed once", "select try_cast(amount + 1 as decimal(38,0)) as value from t", "6"],
    ["in a list", "select cast([amount] as decimal(38,0)[])[1] as value from t", "5"],
    ["with two colons", "select (amount * 2)::decimal(38,0) as value from t", "10"],
    ["within a cast", "select amount::decimal(38,0)::bigint as value from t", "5"],
    ["of a subquery", "select cast((select max(amount) from t) as decimal(38,0)) as value", "5"],
    ["of a sum", "select cast(sum(amount) as decimal(38,0)) as value from t", "5"],
    [
      "that groups",
      "select cast(amount as decimal(38,0)) as value from t group by cast(amount as decimal(38,0))",
      "5",
    ],
    ["in a condition", "select text as value from t where cast(amount as decimal(38,0)) = 5", "5"],
    [
      "beside a constant of 38 digits",
      "select amount::decimal(38,0) + 99999999999999999999999999999999999990 as value from t",
      "99999999999999999999999999999999999995",
    ],
    ["of a window", "select cast(sum(amount) over () as decimal(38,0)) as value from t", "5"],
    ["in a CTE", "with c as (select amount::numeric(38) as a from t) select a as value from c", "5"],
    ["to FLOAT", "select amount::float as value from t", "5"],
    ["of a decimal back", "select (amount::decimal(38,2) + 0.50)::bignum as value from t", "6"],
    ["of a boolean", "select flag::bignum as value from t", "1"],
  ])("works %s", async (_, query, expected) => {
    const { values } = await valuesOf(query, [5n]);
    expect(values?.map(String)).toEqual([expected]);
  });

  it("keeps every digit of a decoded value without a width", async () => {
    const decoded = "select list_value(text, 'no number') as event_params from t";
    const { made, values } = await valuesOf(
      `select coalesce(try_cast(event_params[1] as numeric), try_cast(event_params[2] as decimal)) as value from (${decoded})`,
    );
    expect(made[0]?.type).toBe("DECIMAL");
    expect(values).toEqual([...amounts.map(String), null]);
  });

  it("does not change column names, quoted texts and other casts", async () => {
    const { made, values } = await valuesOf(
      `select text || '"@5' || '::' as value, cast(text as integer), amount::bigint, 'x'::varchar as "a ""b" from t`,
      [5n],
    );
    expect(values).toEqual(['5"@5::']);
    expect(made.map(({ name, type }) => [name, type])).toEqual([
      ["value", "STRING"],
      ['CAST("text" AS INTEGER)', "LONG"],
      ["CAST(amount AS BIGINT)", "LONG"],
      ['a "b', "STRING"],
    ]);
  });

  it("keeps the place of a mistake in a query with such a cast", async () => {
    await engine.createTable("t", columns);
    const failing = engine.createView("v", "select amount::decimal(38,0) as a,\n  missing from t");
    await expect(failing).rejects.toMatchObject({ offset: 37 });
  });
});
