import { cell } from "../../../store/database/columns.js";
import { type Database, SQL, type Sql } from "../../../store/database/database.js";
import { quoteName, quoteNames } from "../../../store/database/quote.js";
import { comparePlaced } from "../tables/placed-rows.js";
import type { TableDialect, TargetColumn } from "../tables/table-dialect.js";
import type { TargetTable } from "../tables/target-table.js";
import { columnTypes, holds, storedAsText } from "./column-types.js";
import { lockCreation } from "./creation-lock.js";
import { isUnfit, sinkErrorOf } from "./postgres-error.js";
import { failureOf, refusedRows } from "./refused-rows.js";
import { postgresState } from "./state-tables.js";
import { changeWriter, writeStored } from "./write-changes.js";

/** Tables of a PostgreSQL database. */
export const postgresTables: TableDialect<Sql, Database, string> = {
  sinkError: sinkErrorOf,
  isUnfit,
  state: () => postgresState,
  transaction: (database, work) => database.transaction(work),
  ask: (sql, statement) => sql.query(statement),
  quote: quoteName,
  name: tableName,
  columnsOf,
  uniqueIndexes,
  newTypes:
    async () =>
    ({ type }) =>
      columnTypes[type],
  create: (database, table, columns, key, onCreate) =>
    database.transaction(async (sql) => {
      await lockCreation(sql);
      // Another sink may have created the table while this one waited.
      if ((await columnsOf(sql, table)).size > 0) return false;
      await createTable(sql, table, columns, key);
      await onCreate(sql);
      return true;
    }),
  addColumn: SQL`add column if not exists`,
  rules: { typeOf: (type) => type, holds: (type, column) => holds(type, column.type) },
  writer: async (_, into) => changeWriter(into),
  refused: refusedRows,
  storedWriting: {
    // An audit reads the rows of a batch together again.
    limits: { rows: 50_000, blocks: 1_000_000 },
    takes: ({ type }) => storedAsText(type),
    write: writeStored,
  },
  dropsAtOnce: false,
  audits: {
    run: (database, work) =>
      database.transaction(async (sql) => {
        // Until `hold`, the transaction blocks no one, and sources may take long.
        await sql.query(SQL`set local idle_in_transaction_session_timeout = 0`);
        return work(sql);
      }),
    snapshot: (database, _, work) => database.transaction(work, { snapshot: true }),
    async hold(sql, table, mends, holdState) {
      await sql.query(SQL`set local idle_in_transaction_session_timeout = '10min'`);
      await holdState();
      if (mends) await sql.query(SQL`lock table ${tableName(table)} in share row exclusive mode`);
    },
    compare: (sql, compared) =>
      comparePlaced(
        sql,
        {
          ask: (within, statement) => within.query(statement),
          name: tableName,
          place: SQL`ctid`,
          noPlace: SQL`null::tid`,
          temporary: "pg_temp",
          create: (table, query) => SQL`create temporary table ${table} on commit drop as ${query}`,
        },
        compared,
      ),
    put: async (sql, _, write, changes) => (await failureOf(sql, () => write(sql, changes)))?.message,
  },
};

function tableName({ schema, name }: TargetTable): ReturnType<typeof quoteNames> {
  return quoteNames(schema, name);
}

/** The types of a table's columns; empty if the table does not exist. */
export async function columnsOf(
  sql: Sql,
  { schema, name }: TargetTable,
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query(
    SQL`select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1::text and c.relname = $2::text and a.attnum > 0 and not a.attisdropped`,
    [schema, name],
  );
  return new Map(rows.map((row) => [cell(row, "name"), cell(row, "type")]));
}

async function createTable(
  sql: Sql,
  table: TargetTable,
  columns: readonly TargetColumn[],
  key: readonly string[],
): Promise<void> {
  const lines = columns.map((column) => SQL`${quoteName(column.name)} ${column.sqlType}`);
  const keyLine = key.length === 0 ? [] : [SQL`primary key (${key.map(quoteName)})`];
  await sql.run(SQL`create schema if not exists ${quoteName(table.schema)}`);
  await sql.run(SQL`create table ${tableName(table)} (${[...lines, ...keyLine]})`);
}

/** The columns of each unique index, by its name. Upserts need one on the key. */
async function uniqueIndexes(
  sql: Sql,
  { schema, name }: TargetTable,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await sql.query(
    SQL`select i.indexrelid::regclass::text as name, array_to_json(array(
        select a.attname from unnest(i.indkey::int[]) k join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k
      )) as columns
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1::text and c.relname = $2::text and i.indisunique and i.indpred is null and i.indexprs is null`,
    [schema, name],
  );
  return new Map(rows.map((row) => [cell(row, "name"), JSON.parse(cell(row, "columns"))]));
}
