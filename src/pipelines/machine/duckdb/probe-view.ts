import { quoted } from "../../../base/text/sql-quotes.js";
import { withoutConditions } from "../../sql/without-conditions.js";
import { storedName, tableName } from "./column-forms.js";
import { type Ask, rewriteQuery } from "./rewrite-query.js";
import { type Definition, type ViewDefinition, viewSql } from "./row-store.js";

/** The database functions that a probe uses. */
export interface Probing {
  readonly ask: Ask;
  run(sql: string): Promise<unknown>;
  /** As `run`, for a short time. */
  compute(sql: string): Promise<unknown>;
  /** The columns of a table or view, with DuckDB's types. @param table its name in SQL */
  columnsOf(table: string): Promise<readonly { readonly name: string; readonly type: string }[]>;
}

/** What a view cannot do with any row. */
export type ProbeFault =
  /** DuckDB has no conversion from one type to another, such as from DECIMAL(2,1) to BIGNUM in `amount = 5.0`. */
  | { readonly kind: "conversion"; readonly error: Error }
  /** Every trial row fails alike, as with a time zone that does not exist. */
  | { readonly kind: "always"; readonly error: Error };

/**
 * DuckDB finds out only at the first row that it cannot compute a query. So this computes a view for a row that passes
 * all conditions, and undoes its changes. If that row fails, others are tried: a failure that is the same for all of
 * them is one of the query, and any other one is of the values in a row.
 * @param before the tables and views that the view may read
 * @returns `undefined` if some row can be computed, or if that is not known
 */
export async function probeFault(
  view: ViewDefinition,
  before: readonly Definition[],
  probing: Probing,
): Promise<ProbeFault | undefined> {
  const query = (await rewriteQuery(view.query, withoutConditions, probing.ask)) ?? view.query;
  let first: Error | undefined;
  for (const trial of trials) {
    const failed = await failureOf({ ...view, query }, before, trial, probing);
    if (!failed || /^(?:INTERRUPT|Out of Memory)/.test(failed.message)) return undefined;
    if (lacking.test(failed.message)) return { kind: "conversion", error: failed };
    first ??= failed;
    if (failed.message !== first.message) return undefined;
  }
  return first && { kind: "always", error: first };
}

const lacking = /Unimplemented type for cast \((?:.+) -> (?:.+?)\)/;

/** Why a view cannot be computed for a row of some values; `undefined` if it can. */
async function failureOf(
  view: ViewDefinition,
  before: readonly Definition[],
  trial: Trial,
  { run, compute, columnsOf }: Probing,
): Promise<Error | undefined> {
  const text = view.query.toLowerCase();
  const names = (kind: "table" | "view"): readonly string[] =>
    before.flatMap((one) => (one.kind === kind && text.includes(lastPart(one.name)) ? [one.name] : []));
  await run("begin transaction");
  try {
    for (const name of names("table")) {
      const values = (await columnsOf(storedName(name))).map(({ type }) => probeOf(type, trial));
      await run(`insert into ${storedName(name)} values (${values.join(", ")})`);
    }
    for (const [index, name] of [...new Set(names("view"))].entries()) {
      if (name === view.name) continue;
      const columns = await columnsOf(tableName(name));
      const values = columns.map((column) => `${probeOf(column.type, trial)} as ${quoted(column.name)}`);
      // DuckDB would compute a query of constants before it runs, and skip parts that these make irrelevant.
      const row = `"graphloom$probe${index}"`;
      await run(`create table ${row} as select ${values.join(", ")}`);
      await run(viewSql({ kind: "view", name, query: `select * from ${row}`, names: [] }));
    }
    await run(viewSql(view));
    await compute(`create table "graphloom$probe" as select * from ${tableName(view.name)}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error;
  } finally {
    await run("rollback");
  }
}

/** The values of a row to try. */
interface Trial {
  readonly text: string;
  /** Fits into all types of numbers. */
  readonly number: string;
  readonly date: string;
}

/** Different enough that few functions refuse all of them. */
const trials: readonly Trial[] = [
  { text: "1", number: "1", date: "2020-01-01" },
  { text: "2021-02-03 04:05:06", number: "0", date: "2021-02-03 04:05:06" },
  { text: '{"a": 1}', number: "100", date: "1999-12-31" },
  { text: `0x${"00".repeat(31)}05,0x${"00".repeat(31)}06`, number: "12", date: "2020-02-29" },
  { text: "00", number: "3", date: "2030-06-07 08:09:10.5" },
  { text: "", number: "7", date: "1970-01-01" },
];

/** The name of a table or view without its schema, in lower case. */
function lastPart(name: string): string {
  return name.slice(name.indexOf(".") + 1).toLowerCase();
}

/** A value of a type, not null where possible. */
function probeOf(type: string, trial: Trial): string {
  return `${textOfProbe(type, trial)}::${type}`;
}

function textOfProbe(type: string, trial: Trial): string {
  const [, item] = /^(.*)\[\d*\]$/.exec(type) ?? [];
  if (item !== undefined) return `[${probeOf(item, trial)}]`;
  const [, fields] = /^STRUCT\((.*)\)$/.exec(type) ?? [];
  if (fields !== undefined)
    return `{${fieldsOf(fields)
      .map(({ name, type: of }) => `${name}: ${probeOf(of, trial)}`)
      .join(", ")}}`;
  const [, entry] = /^MAP\((.*)\)$/.exec(type) ?? [];
  if (entry !== undefined) {
    const [key = "", value = ""] = splitTypes(entry);
    return `map {${probeOf(key, trial)}: ${probeOf(value, trial)}}`;
  }
  if (/^(?:VARCHAR|BLOB)/.test(type)) return `'${trial.text}'`;
  if (/^DECIMAL/.test(type)) return "'1'";
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|BIGNUM|FLOAT|DOUBLE)/.test(type)) return `'${trial.number}'`;
  if (/^TIMESTAMP|^DATE/.test(type)) return `'${trial.date}'`;
  return { BOOLEAN: "true", JSON: "'{}'", TIME: "'00:00:00'", INTERVAL: "'1 day'" }[type] ?? "null";
}

function fieldsOf(fields: string): readonly { readonly name: string; readonly type: string }[] {
  return splitTypes(fields).map((field) => {
    const [, name = "", type = ""] = /^("(?:[^"]|"")*"|\S+) (.*)$/.exec(field) ?? [];
    return { name, type };
  });
}

/** The parts of a list of types, at the commas that no parenthesis or quotation mark encloses. */
function splitTypes(list: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of list.matchAll(/"(?:[^"]|"")*"|./g)) {
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (token === "," && depth === 0) parts.push("");
    else parts.push((parts.pop() ?? "") + token);
  }
  return parts.map((part) => part.trim());
}
