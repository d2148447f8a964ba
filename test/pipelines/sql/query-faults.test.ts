import { afterAll, beforeAll, expect, it } from "vitest";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { openDuckDb } from "../../../src/pipelines/machine/duckdb/open-duckdb.js";
import { defineFunction } from "../../../src/pipelines/sql/create-node.js";
import { QueryError, type SqlEngine } from "../../../src/pipelines/sql/engine.js";

const columns: readonly RowColumn[] = [
  { name: "id", type: "STRING", nullable: true },
  { name: "sender", type: "STRING", nullable: true },
  { name: "amount", type: "DECIMAL", nullable: true },
  { name: "number", type: "LONG", nullable: true },
];
/** A row as chains have it. */
const row = { count: 1, columns: [["t1"], ["0x01"], ["1000"], [1_700_000_000n]] };
let engine: SqlEngine;
let views = 0;

beforeAll(async () => {
  engine = await openDuckDb({ memory: 256, time: 5_000 });
  for (const name of ["to_u256", "to_timestamp_ltz", "evm_log_decode", "split_index"])
    await defineFunction(engine, name, () => false);
  await engine.createTable("t", columns);
});
afterAll(() => engine.close());

function nextName(): string {
  views += 1;
  return `v${views}`;
}

/** Why a query is refused, with the word at its place; `undefined` if it is accepted. */
async function refusal(query: string): Promise<{ said: string; at: string; hint: string } | undefined> {
  try {
    await engine.createView(nextName(), query);
    return undefined;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const { message, offset, hint = "" } = error;
    return {
      said: message,
      at: offset === undefined ? "" : (/^'[^']*'|^\w+|^./.exec(query.slice(offset))?.[0] ?? ""),
      hint,
    };
  }
}

/** What DuckDB says about a query when it meets the first row, without any check before. */
async function failureAtRun(query: string): Promise<unknown> {
  const name = nextName();
  try {
    const made = await engine.createView(name, query, (tree) => tree);
    await engine.fill("t", columns, row);
    await engine.rowsOf(name, made);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await engine.fill("t", columns, { count: 0, columns: columns.map(() => []) });
  }
}

it.each([
  // Names.
  ["sendr", 'there is no column "sendr"', "sendr", "write sender"],
  ['sender = "0xab"', 'there is no column "0xab"', '"', ""],
  ["x.sender", 'the query does not read "x"', "x", "write t"],
  ["uper(sender)", "there is no function uper", "uper", "write upper"],
  ["nvl(sender, 'a')", "there is no function nvl", "nvl", "write coalesce(value, other)"],
  ["amount::uint256", "there is no type uint256", "uint256", "write NUMERIC(78, 0), which holds 256 bits"],
  ["{'a': 1}.b", 'the value has no field "b"', "b", ""],
  ["sender.a", 'sender has no fields, so there is no "a"', "a", "for JSON in a text"],
  ["$1", "a query has no parameters", "", "write the value"],
  // Types.
  ["upper(5, 6)", "upper() does not take a whole number, a whole number", "upper", "write upper(VARCHAR)"],
  ["sender + 1", "+ cannot be applied to VARCHAR and a whole number", "+", "cast one of them"],
  ["amount like '1%'", "LIKE cannot be applied to BIGNUM and a text", "like", "cast one of them"],
  [
    "date_trunc('day', number)",
    "date_trunc() does not take a text, BIGINT",
    "date_trunc",
    "to_timestamp(block_timestamp)",
  ],
  [
    "to_timestamp(number) > 5",
    "TIMESTAMPTZ cannot be compared with a whole number",
    ">",
    "cast one of the two",
  ],
  [
    "case when true then 1 else [1] end",
    "CASE has values of INTEGER[] and of a whole number",
    "case",
    "cast one of the two",
  ],
  ["amount::numeric(50, 10)", "a decimal has between 1 and 38 digits", "", "leave the cast out"],
  ["unnest(sender)", "unnest() takes a list, not VARCHAR", "unnest", "string_split"],
  ["to_timestamp(number)::int", "no value of TIMESTAMPTZ can become one of INTEGER", "", "write epoch(time)"],
  // Constants, also behind a condition that no row passes.
  ["cast('abc' as integer)", '"abc" is not a value of INTEGER', "cast", "write another value"],
  ["case when amount < 0 then 'abc'::int end", '"abc" is not a value of INTEGER', ":", "write another value"],
  ["'31.1.2026'::date", '"31.1.2026" is not a date', ":", "write it as 2026-01-31"],
  ["'{bad'::json", '"{bad" is not JSON', ":", "TRY_CAST"],
  ["500::tinyint", "500 does not fit into TINYINT", ":", "cast to NUMERIC(78, 0)"],
  ["to_u256('abc')", '"abc" is not an integer', "to_u256", ""],
  ["sqrt(-1)", "the SQL engine refuses this: cannot take square root of a negative number", "sqrt", ""],
  ["sender like '0x\\' escape '\\'", "the pattern of LIKE ends with its escape character", "like", "twice"],
  // What fails for every row.
  ["amount > 'abc'", '"abc" is not an integer', "'abc'", "write another value"],
  ["number in (1, 'two')", '"two" is not a value of BIGINT', "'two'", "write another value"],
  ["sender = 'zzz' and number > 'two'", '"two" is not a value of BIGINT', "'two'", "write another value"],
  [
    "regexp_matches(sender, '(')",
    "the regular expression cannot be read: missing ): (",
    "'('",
    "write a backslash",
  ],
  [
    "regexp_replace(sender, '[', '')",
    "the regular expression cannot be read: missing ]: [",
    "'['",
    "write a backslash",
  ],
  ["sender like '0x%' escape 'ab'", "ESCAPE takes one character", "like", "write a single character"],
  [
    "to_timestamp(number) at time zone 'Europe/Berln'",
    'there is no time zone "Europe/Berln"',
    "'Europe/Berln'",
    "",
  ],
  [
    "strftime(to_timestamp(number), '%Q')",
    'the format "%Q" cannot be read at %Q',
    "",
    "write parts such as %Y",
  ],
  ["date_trunc('weeek', to_timestamp(number))", 'a time has no part "weeek"', "'weeek'", "write year"],
  ["to_timestamp(number) + interval '1 foo'", 'a time has no part "foo"', "'1 foo'", "write year"],
  ["json_extract(sender, '$[')", 'the JSON path is wrong at "["', "'$['", "write a path such as"],
  ["format('{:d}', sender)", 'a value of type string cannot be formatted with "d"', "'{:d}'", "write {}"],
  ["evm_log_decode(concat('no ', 'abi'), sender, sender).name", "the ABI cannot be read: no abi", "", ""],
  [
    "to_timestamp_ltz(number, 6)",
    "the precision of to_timestamp_ltz is 0, for seconds, or 3, for milliseconds",
    "",
    "",
  ],
  ["amount / 0", "division by zero", "", ""],
])("%s fails at the first row and is refused before, in our words: %s", async (expression, said, at, hint) => {
  const [selected, filtered] = [
    `select id, ${expression} as made from t`,
    `select id from t where (${expression}) is null`,
  ];
  const found = await refusal(selected);
  expect(found).toEqual({ said, at, hint: expect.stringContaining(hint) as string });
  if (!expression.startsWith("unnest")) expect((await refusal(filtered))?.said).toBe(said);
  // Some of these fail only at some rows.
  if (!/case when amount|zzz/.test(expression))
    expect(await failureAtRun(selected)).toBeInstanceOf(QueryError);
});

it.each([
  "select id, sender::int as made from t where sender not like '0x%'",
  "select id, unhex(substr(sender, 3)) as made from t",
  "select id, try_cast('abc' as int) as made from t",
  "select id, try('abc'::int) as made from t",
  "select id, case when json_valid(sender) then sender->>'a' end as made from t",
  "select id, strptime(sender, '%Y') as made from t where sender = '2020'",
  "select id, 1000 / (number - 1) as made from t",
  "select id, sqrt(amount - 5) as made from t where amount > 5",
  "select id, split_index(sender, 'x', 1)::int as made from t",
  "select id, to_u256(sender) as made from t",
  "select id, sender like '0x\\_%' escape '\\' as made from t",
  "select id, string_split(sender, ',')[5]::int as made from t",
])("a query that some rows pass is accepted and computed: %s", async (query) => {
  expect(await refusal(query)).toBeUndefined();
  expect(await failureAtRun(query)).toBeUndefined();
});
