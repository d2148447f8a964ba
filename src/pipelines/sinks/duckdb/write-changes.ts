import { cell } from "../../../store/database/columns.js";
import { type Row, SQL, type SqlFragment, uncheckedSql } from "../../../store/database/database.js";
import { quoteName } from "../../../store/database/quote.js";
import type { Changes } from "../../changes/net-changes.js";
import type { RowColumn } from "../../changes/schema.js";
import { type DuckDbSession, fileName } from "../duckdb-file.js";
import type { RefusedRow } from "../sink.js";
import type { WriteChanges, WrittenTable } from "../tables/table-dialect.js";
import type { TargetTable } from "../tables/target-table.js";
import { type Conversion, conversion } from "./column-types.js";

/** Not a schema of a file: the one of temporary tables. */
export const temporary = "graphloom$temporary";

/** Where changes are before they are written, and what is done with each. */
const staging = "graphloom_changes";
const operation: RowColumn = { name: "graphloom$operation", type: "STRING", nullable: false };
const operationName = quoteName(operation.name);
/** The place of a change among the others. */
const place: RowColumn = { name: "graphloom$row", type: "LONG", nullable: false };
const placeName = quoteName(place.name);

/** Rows that are named at once. A caller that keeps them aside asks again for more. */
const mostRefused = 1_000;

/** A table in SQL. */
export function tableName({ schema, name }: TargetTable): SqlFragment {
  return schema === temporary
    ? SQL`temp.main.${quoteName(name)}`
    : SQL`${fileName}.${quoteName(schema)}.${quoteName(name)}`;
}

/** The types of a table's columns, by name; empty if it does not exist. */
export async function columnsOf(
  session: DuckDbSession,
  { schema, name }: TargetTable,
): Promise<ReadonlyMap<string, string>> {
  const isTemporary = schema === temporary;
  const rows = await session.query(
    SQL`select column_name as name, data_type as type from duckdb_columns()
      where database_name = $1 and schema_name = $2 and table_name = $3`,
    [isTemporary ? "temp" : "graphloom$file", isTemporary ? "main" : schema, name],
  );
  return new Map(rows.map((row) => [cell(row, "name"), cell(row, "type")]));
}

interface WrittenColumn extends Conversion {
  readonly name: SqlFragment;
  readonly column: RowColumn;
  readonly type: string;
}

/** Prepares to write a table: values become those of the columns that are there. */
export async function changeWriter(
  session: DuckDbSession,
  into: WrittenTable,
): Promise<WriteChanges<DuckDbSession>> {
  const columns = await writtenColumns(session, into);
  const [deletion, insertion] = [deletionOf(into, columns), insertionOf(into, columns)];
  return async (within, changes) => {
    if (changes.rows.count === 0) return;
    await stage(within, changes);
    if (changes.operations.includes("d")) await within.query(deletion);
    if (changes.operations.some((one) => one !== "d")) await within.query(insertion);
  };
}

/** Finds the changes with values that do not fit into the columns; the first of them are enough. */
export async function unfitValues(
  session: DuckDbSession,
  into: WrittenTable,
  changes: Changes,
): Promise<readonly RefusedRow[]> {
  const refused: RefusedRow[] = [];
  await stage(session, changes);
  for (const { column, value, isExact, name, type } of await writtenColumns(session, into)) {
    const fits = uncheckedSql(`try(${isExact === undefined ? "" : `${isExact} and `}(${value}) is not null)`);
    const rows = await session.query(
      SQL`select ${placeName} as place, ${name}::varchar as value from temp.main.${quoteName(staging)}
        where ${name} is not null and not coalesce(${fits}, false) order by 1 limit ${mostRefused}`,
    );
    for (const row of rows)
      refused.push({ row: Number(row.place), why: whyUnfit(row, type), column: column.name });
  }
  return refused;
}

function whyUnfit({ value }: Row, type: string): string {
  return `${value} does not fit into the type ${type}`;
}

async function writtenColumns(
  session: DuckDbSession,
  { table, columns }: WrittenTable,
): Promise<readonly WrittenColumn[]> {
  // DuckDB does not tell capital letters in names.
  const found = [...(await columnsOf(session, table))].map(
    ([name, type]) => [name.toLowerCase(), type] as const,
  );
  const types = new Map(found);
  return columns.map((column) => {
    const type = types.get(column.name.toLowerCase()) ?? column.sqlType;
    const name = quoteName(column.name);
    return { column, type, name, ...conversion(name, column.type, type) };
  });
}

function stage(session: DuckDbSession, { schema, operations, rows }: Changes): Promise<void> {
  const columns = [...rows.columns, operations, operations.map((_, row) => BigInt(row))];
  return session.fill(staging, [...schema.columns, operation, place], { count: rows.count, columns });
}

/** The values of some columns of the changes. One that would be cut or rounded is an error. */
function valuesOf(columns: readonly WrittenColumn[]): readonly SqlFragment[] {
  return columns.map(({ name, value, isExact, type }) =>
    isExact === undefined
      ? SQL`${uncheckedSql(value)} as ${name}`
      : SQL`case when ${name} is null then null when ${uncheckedSql(isExact)} then ${uncheckedSql(value)}
          else error(concat(${name}, ' does not fit into the type ', ${uncheckedSql(`'${type.replaceAll("'", "''")}'`)})) end as ${name}`,
  );
}

function deletionOf({ table, key }: WrittenTable, columns: readonly WrittenColumn[]): SqlFragment {
  const target = tableName(table);
  const chosen = key.length === 0 ? columns : columns.filter(({ column }) => key.includes(column.name));
  const names = chosen.map(({ name }) => name);
  const gone = SQL`(select ${valuesOf(chosen)} from temp.main.${quoteName(staging)} where ${operationName} = 'd')`;
  const same = names.map((name) => SQL`t.${name} is not distinct from g.${name}`);
  const on = uncheckedSql(same.join(" and "));
  if (key.length > 0) return SQL`delete from ${target} t using ${gone} g where ${on}`;
  // Of several equal rows, as many go as are given.
  return SQL`delete from ${target} where rowid in (select place from (
      select t.rowid as place, row_number() over (partition by ${names.map((name) => SQL`t.${name}`)}) as number, copies
      from ${target} t join (select ${names}, count(*) as copies from ${gone} group by all) g on ${on})
    where number <= copies)`;
}

function insertionOf(
  { table, key, onConflict }: WrittenTable,
  columns: readonly WrittenColumn[],
): SqlFragment {
  const insert = SQL`insert into ${tableName(table)} (${columns.map(({ name }) => name)})
    select ${valuesOf(columns)} from temp.main.${quoteName(staging)} where ${operationName} <> 'd'`;
  if (key.length === 0) return insert;
  const target = SQL`${insert} on conflict (${key.map(quoteName)})`;
  const others = columns.filter(({ column }) => !key.includes(column.name)).map(({ name }) => name);
  if (onConflict === "nothing" || others.length === 0) return SQL`${target} do nothing`;
  return SQL`${target} do update set ${others.map((name) => SQL`${name} = excluded.${name}`)}`;
}
