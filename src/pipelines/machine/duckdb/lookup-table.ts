import type { DuckDBConnection } from "@duckdb/node-api";
import { quoted } from "../../../base/text/sql-quotes.js";
import type { Rows } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import { appendRows } from "./append-rows.js";
import { seen, storedTypes, tableName } from "./column-forms.js";

type DuckDb = typeof import("@duckdb/node-api");

/** A table of rows to look up, after an empty row. */
export interface LookupTableDefinition {
  readonly kind: "lookup";
  readonly name: string;
  /** The rows, or a query that lists them with names of columns. */
  readonly listed:
    | { readonly query: string; readonly columns: readonly string[] }
    | { readonly rows: Rows; readonly columns: readonly RowColumn[] };
}

/** Where rows are on their way into such a table. */
const staging = "graphloom$staged";

/** Creates such a table. The numbers of its rows follow one another from 0. */
export async function createLookupTable(
  duckdb: DuckDb,
  connection: DuckDBConnection,
  { name, listed }: LookupTableDefinition,
): Promise<void> {
  const table = tableName(name);
  const create = async (query: string, names = ""): Promise<void> => {
    for (const statement of [
      `create or replace table ${table} as select * from (\n${query}\n) as listed${names} limit 0`,
      `insert into ${table} default values`,
      `insert into ${table} ${query}`,
    ])
      await connection.run(statement);
  };
  if ("query" in listed) {
    const names = listed.columns.length === 0 ? "" : `(${listed.columns.map(quoted).join(", ")})`;
    await create(listed.query, names);
    return;
  }
  await staged(duckdb, connection, listed.columns, listed.rows, create);
}

/** Adds rows to such a table. */
export async function extendLookupTable(
  duckdb: DuckDb,
  connection: DuckDBConnection,
  name: string,
  columns: readonly RowColumn[],
  rows: Rows,
): Promise<void> {
  if (rows.count === 0) return;
  await staged(duckdb, connection, columns, rows, async (query) => {
    await connection.run(`insert into ${tableName(name)} ${query}`);
  });
}

/** Does something with a query that lists rows, as queries see them. */
async function staged(
  duckdb: DuckDb,
  connection: DuckDBConnection,
  columns: readonly RowColumn[],
  rows: Rows,
  use: (query: string) => Promise<void>,
): Promise<void> {
  const types = columns.map((column) => `${quoted(column.name)} ${storedTypes[column.type]}`).join(", ");
  await connection.run(`create or replace temporary table ${quoted(staging)} (${types})`);
  await appendRows(duckdb, connection, { name: staging, schema: "main", catalog: "temp" }, columns, rows);
  await use(`select ${columns.map(seen).join(", ")} from ${quoted(staging)}`);
  await connection.run(`drop table ${quoted(staging)}`);
}
