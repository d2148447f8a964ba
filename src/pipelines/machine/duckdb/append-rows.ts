import type { DuckDBConnection, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { Rows, RowValue } from "../../changes/rows.js";
import type { RowColumn, ValueType } from "../../changes/schema.js";

type DuckDb = typeof import("@duckdb/node-api");

/** DuckDB's own size of a chunk. */
const chunkRows = 2_048;

/** A table whose columns have the types of `storedTypes`. */
export interface AppendedTable {
  readonly name: string;
  readonly schema: string;
  readonly catalog?: string;
}

/** Adds rows to a table, within the transaction of the connection if it has one. */
export async function appendRows(
  duckdb: DuckDb,
  connection: DuckDBConnection,
  { name, schema, catalog }: AppendedTable,
  columns: readonly RowColumn[],
  rows: Rows,
): Promise<void> {
  if (rows.count === 0) return;
  const types = columns.map(({ type }) => appendType(duckdb, type));
  const appender = await connection.createAppender(name, schema, catalog);
  try {
    for (let start = 0; start < rows.count; start += chunkRows) {
      const chunk = duckdb.DuckDBDataChunk.create(types);
      chunk.setColumns(
        columns.map(({ type }, index) =>
          appended(duckdb, type, rows.columns[index]?.slice(start, start + chunkRows) ?? []),
        ),
      );
      appender.appendDataChunk(chunk);
    }
  } finally {
    appender.closeSync();
  }
}

function appendType({ BIGINT, BOOLEAN, DOUBLE, LIST, VARCHAR }: DuckDb, type: ValueType): DuckDBType {
  if (type === "LONG" || type === "TIMESTAMP") return BIGINT;
  if (type === "BOOLEAN") return BOOLEAN;
  if (type === "DOUBLE") return DOUBLE;
  return type === "ARRAY<STRING>" ? LIST(VARCHAR) : VARCHAR;
}

function appended(
  { listValue }: DuckDb,
  type: ValueType,
  values: readonly RowValue[],
): readonly DuckDBValue[] {
  if (type !== "ARRAY<STRING>") return values as readonly DuckDBValue[];
  return values.map((value) => (value === null ? null : listValue([...(value as readonly string[])])));
}
