import { messageOf } from "../../../base/text/message-of.js";
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

const lacking = /Unimplemented type for cast \((.+) -> (.+?)\)/;

/**
 * DuckDB finds out only at the first row that it has no conversion from one type to another, such as from
 * DECIMAL(2,1) to BIGNUM in `amount = 5.0`. So this computes a view for one row that passes all conditions, and
 * undoes its changes.
 * @param before the tables and views that the view may read
 * @returns the types of a missing conversion; `undefined` if none is missing
 */
export async function missingConversion(
  view: ViewDefinition,
  before: readonly Definition[],
  { ask, run, compute, columnsOf }: Probing,
): Promise<{ readonly from: string; readonly to: string } | undefined> {
  const text = view.query.toLowerCase();
  const names = (kind: "table" | "view"): readonly string[] =>
    before.flatMap((one) => (one.kind === kind && text.includes(lastPart(one.name)) ? [one.name] : []));
  const query = (await rewriteQuery(view.query, withoutConditions, ask)) ?? view.query;
  await run("begin transaction");
  try {
    for (const name of names("table")) {
      const values = (await columnsOf(storedName(name))).map(({ type }) => probeOf(type));
      await run(`insert into ${storedName(name)} values (${values.join(", ")})`);
    }
    for (const [index, name] of [...new Set(names("view"))].entries()) {
      if (name === view.name) continue;
      const columns = await columnsOf(tableName(name));
      const values = columns.map((column) => `${probeOf(column.type)} as ${quoted(column.name)}`);
      // DuckDB would compute a query of constants before it runs, and skip parts that these make irrelevant.
      const row = `"graphloom$probe${index}"`;
      await run(`create table ${row} as select ${values.join(", ")}`);
      await run(viewSql({ kind: "view", name, query: `select * from ${row}`, names: [] }));
    }
    await run(viewSql({ ...view, query }));
    await compute(`create table "graphloom$probe" as select * from ${tableName(view.name)}`);
    return undefined;
  } catch (error) {
    // All other errors are about the values of this row only.
    const [, from, to] = lacking.exec(messageOf(error)) ?? [];
    return from === undefined || to === undefined ? undefined : { from, to };
  } finally {
    await run("rollback");
  }
}

/** The name of a table or view without its schema, in lower case. */
function lastPart(name: string): string {
  return name.slice(name.indexOf(".") + 1).toLowerCase();
}

/** A value of a type, not null where possible. */
function probeOf(type: string): string {
  return `${textOfProbe(type)}::${type}`;
}

function textOfProbe(type: string): string {
  const [, item] = /^(.*)\[\d*\]$/.exec(type) ?? [];
  if (item !== undefined) return `[${probeOf(item)}]`;
  const [, fields] = /^STRUCT\((.*)\)$/.exec(type) ?? [];
  if (fields !== undefined)
    return `{${fieldsOf(fields)
      .map(({ name, type: of }) => `${name}: ${probeOf(of)}`)
      .join(", ")}}`;
  const [, entry] = /^MAP\((.*)\)$/.exec(type) ?? [];
  if (entry !== undefined) {
    const [key = "", value = ""] = splitTypes(entry);
    return `map {${probeOf(key)}: ${probeOf(value)}}`;
  }
  if (/^(VARCHAR|BLOB|U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|BIGNUM|DECIMAL|FLOAT|DOUBLE)/.test(type))
    return "'1'";
  if (/^TIMESTAMP|^DATE/.test(type)) return "'2020-01-01'";
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
