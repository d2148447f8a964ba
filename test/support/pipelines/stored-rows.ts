import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "../../../src/base/text/sql-quotes.js";
import type { Rows } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import type { StoredQuery, StoredRows } from "../../../src/pipelines/changes/stored-rows.js";
import { storedTypes } from "../../../src/pipelines/machine/duckdb/column-forms.js";
import { storedColumns, windowPieces } from "../../../src/pipelines/sinks/file/window-file.js";
import type { SqlEngine } from "../../../src/pipelines/sql/engine.js";

/**
 * Rows as an engine holds those that it has computed. They come from a file, as rows of an archive do.
 * @param folder where the file may be
 * @param table of the engine, with these columns; nothing can be added to the engine afterwards
 */
export async function storedRows(
  engine: SqlEngine,
  folder: string,
  table: { readonly name: string; readonly columns: readonly RowColumn[] },
  rows: Rows,
  key: readonly string[] = [],
): Promise<StoredRows> {
  return engine.takeFrom(await storedQuery(folder, table.columns, rows), table.name, table, key);
}

/** Rows in a file, and the query that reads them. */
export async function storedQuery(
  folder: string,
  columns: readonly RowColumn[],
  rows: Rows,
): Promise<StoredQuery> {
  const path = join(folder, `${randomUUID()}.parquet`);
  const entry = { from: 0, to: 0, rows: rows.count, sum: 0n };
  const pieces: Uint8Array[] = [];
  for await (const piece of windowPieces(storedColumns(columns), [rows], entry)) pieces.push(piece);
  writeFileSync(path, Buffer.concat(pieces));
  const values = columns.map(({ name, type }) => {
    const column = quoted(name);
    const read = type === "TIMESTAMP" ? `epoch_us(${column})` : column;
    return `${read}::${storedTypes[type]} AS ${column}`;
  });
  const query = (at: (path: string) => string): string =>
    `SELECT ${values.join(", ")} FROM read_parquet('${at(path)}')`;
  return { files: [path], query };
}
