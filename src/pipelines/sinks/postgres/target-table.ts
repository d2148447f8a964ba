import { type Database, SQL, type Sql, type SqlFragment } from "../../../store/database/database.js";
import { quoteName, quoteNames } from "../../../store/database/quote.js";
import type { RowColumn, RowSchema } from "../../changes/schema.js";
import { checkColumns, checkUnique, lackingColumns } from "../tables/check-table.js";
import type { TargetTable } from "../tables/target-table.js";
import { columnTypes, holds } from "./column-types.js";
import { lockCreation } from "./creation-lock.js";

/** A column to write, with its SQL type. */
export interface TargetColumn extends RowColumn {
  readonly sqlType: SqlFragment;
}

/**
 * Creates the table, with its schema, if it does not exist. Otherwise checks that it holds every value, and adds
 * missing columns if allowed.
 * @param overrides types by column; null leaves a column out
 * @param onCreate called in the transaction that creates the table
 * @param evolves whether to add missing columns
 * @returns the columns to write
 * @throws SinkError if the table does not fit; DatabaseError
 */
export async function prepareTable(
  database: Database,
  { schema, name }: TargetTable,
  { columns, key }: RowSchema,
  overrides: ReadonlyMap<string, SqlFragment | null>,
  onCreate: (sql: Sql) => Promise<void>,
  evolves = false,
): Promise<readonly TargetColumn[]> {
  const written = writtenColumns(columns, overrides);
  let existing = await columnsOf(database, schema, name);
  if (existing.size === 0) {
    const isNew = await database.transaction(async (sql) => {
      await lockCreation(sql);
      // Another sink may have created the table while this one waited.
      existing = await columnsOf(sql, schema, name);
      if (existing.size > 0) return false;
      await createTable(sql, { schema, name }, written, key);
      await onCreate(sql);
      return true;
    });
    if (isNew) return written;
  }
  const table = { schema, name };
  const added = evolves ? lackingColumns(written, key, existing) : [];
  if (added.length > 0) {
    const lines = added.map(
      (column) => SQL`add column if not exists ${quoteName(column.name)} ${column.sqlType}`,
    );
    await database.run(SQL`alter table ${quoteNames(schema, name)} ${lines}`);
    existing = await columnsOf(database, schema, name);
  }
  checkColumns(table, written, existing, {
    chosen: new Set(overrides.keys()),
    newType: ({ type }) => columnTypes[type],
    quote: quoteName,
    typeOf: (type) => type,
    holds: (type, column) => holds(type, column.type),
  });
  checkUnique(table, key, await uniqueIndexes(database, table), quoteName);
  return written;
}

/** The columns to write, with the types that they get in a new table. */
export function writtenColumns(
  columns: readonly RowColumn[],
  overrides: ReadonlyMap<string, SqlFragment | null>,
): readonly TargetColumn[] {
  return columns
    .filter((column) => overrides.get(column.name) !== null)
    .map((column) => ({ ...column, sqlType: overrides.get(column.name) ?? columnTypes[column.type] }));
}

/** The types of a table's columns; empty if the table does not exist. */
export async function columnsOf(
  database: Sql,
  schema: string,
  name: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.query(
    SQL`select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1::text and c.relname = $2::text and a.attnum > 0 and not a.attisdropped`,
    [schema, name],
  );
  return new Map(rows.map((row) => [row.name ?? "", row.type ?? ""]));
}

async function createTable(
  sql: Sql,
  { schema, name }: TargetTable,
  columns: readonly TargetColumn[],
  key: readonly string[],
): Promise<void> {
  const lines = columns.map((column) => SQL`${quoteName(column.name)} ${column.sqlType}`);
  const keyLine = key.length === 0 ? [] : [SQL`primary key (${key.map(quoteName)})`];
  await sql.run(SQL`create schema if not exists ${quoteName(schema)}`);
  await sql.run(SQL`create table ${quoteNames(schema, name)} (${[...lines, ...keyLine]})`);
}

/** The columns of each unique index. Upserts need one on the key. */
async function uniqueIndexes(
  database: Database,
  { schema, name }: TargetTable,
): Promise<readonly (readonly string[])[]> {
  const rows = await database.query(
    SQL`select array_to_json(array(
        select a.attname from unnest(i.indkey::int[]) k join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k
      )) as columns
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1::text and c.relname = $2::text and i.indisunique and i.indpred is null and i.indexprs is null`,
    [schema, name],
  );
  return rows.map(({ columns }) => JSON.parse(columns ?? "[]") as string[]);
}
