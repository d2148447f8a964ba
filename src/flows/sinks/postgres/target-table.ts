import { type Database, SQL, type Sql, type SqlFragment } from "../../../store/database/database.js";
import { quoteName, quoteNames } from "../../../store/database/quote.js";
import type { FlowColumn, FlowSchema } from "../../changes/schema.js";
import { SinkError } from "../sink.js";
import { columnTypes, holds } from "./column-types.js";

/** The table that a sink writes. */
export interface TargetTable {
  readonly schema: string;
  readonly name: string;
}

/** A column of the table that is written, with its type in SQL. */
export interface TargetColumn extends FlowColumn {
  readonly sqlType: SqlFragment;
}

/**
 * Makes sure that the table is there and holds every value. It is created, with its schema, if it does not exist; one that
 * exists is never changed.
 * @param overrides types by column; null leaves a column out
 * @param onCreate called in the transaction that creates the table
 * @returns the columns to write
 * @throws SinkError for a table that does not fit; DatabaseError
 */
export async function prepareTable(
  database: Database,
  { schema, name }: TargetTable,
  { columns, key }: FlowSchema,
  overrides: ReadonlyMap<string, SqlFragment | null>,
  onCreate: (sql: Sql) => Promise<void>,
): Promise<readonly TargetColumn[]> {
  const written = columns
    .filter((column) => overrides.get(column.name) !== null)
    .map((column) => ({
      ...column,
      sqlType: overrides.get(column.name) ?? columnTypes[column.type],
    }));
  const existing = await columnsOf(database, schema, name);
  if (existing.size === 0) {
    await database.transaction(async (sql) => {
      await createTable(sql, { schema, name }, written, key);
      await onCreate(sql);
    });
    return written;
  }
  for (const column of written)
    checkColumn(column, existing.get(column.name), `${schema}.${name}`, overrides);
  await checkKey(database, { schema, name }, key);
  return written;
}

/** Types of an existing table's columns; empty if it does not exist. */
async function columnsOf(
  database: Database,
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

function checkColumn(
  { name, type }: TargetColumn,
  existing: string | undefined,
  table: string,
  overrides: ReadonlyMap<string, SqlFragment | null>,
): void {
  if (existing === undefined)
    throw new SinkError(
      `Table ${table} has no column ${name}. Add it with: alter table ${table} add column "${name}" ${columnTypes[type]}`,
      false,
    );
  if (overrides.has(name) || holds(existing, type)) return;
  throw new SinkError(
    `Column ${name} of table ${table} has the type ${existing}, which does not hold every value of ${type}. Use the type ${columnTypes[type]}, or choose the type with schema_override.`,
    false,
  );
}

/** Upserts need a unique index on exactly the key. */
async function checkKey(
  database: Database,
  { schema, name }: TargetTable,
  key: readonly string[],
): Promise<void> {
  if (key.length === 0) return;
  const rows = await database.query(
    SQL`select array_to_json(array(
        select a.attname from unnest(i.indkey::int[]) k join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k
      )) as columns
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1::text and c.relname = $2::text and i.indisunique and i.indpred is null and i.indexprs is null`,
    [schema, name],
  );
  const wanted = [...key].sort().join("\n");
  const isThere = rows.some(
    ({ columns }) => (JSON.parse(columns ?? "[]") as string[]).sort().join("\n") === wanted,
  );
  if (isThere) return;
  const listed = key.map((column) => `"${column}"`).join(", ");
  throw new SinkError(
    `Table ${schema}.${name} has no unique index on its key, ${key.join(", ")}. Create one with: create unique index on ${schema}.${name} (${listed})`,
    false,
  );
}
