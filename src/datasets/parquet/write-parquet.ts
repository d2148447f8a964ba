import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { invariant } from "../../base/invariant.js";
import type { Column, ColumnValue, ColumnValues } from "./column.js";
import { type Compression, codecOf, packers } from "./compression.js";
import { schemaOf } from "./schema.js";

/** Maximum number of rows to compress together. */
export const rowsPerGroup = 100_000;
/** Large pages, because a hash often repeats far from its first occurrence. */
const pageBytes = 8 * 1024 * 1024;

/** How the rows of a file are packed. */
export interface ParquetForm {
  /** Brotli by default. */
  readonly compression?: Compression | undefined;
  /** Maximum number of rows in a group; `rowsPerGroup` by default. */
  readonly groupRows?: number | undefined;
}

/**
 * A Parquet file that is written piece by piece. Concatenating the pieces gives the file. The
 * same rows, added in the same portions, give the same bytes.
 */
export class ParquetPieces {
  readonly #columns: readonly Column[];
  readonly #bytes = new ByteWriter();
  readonly #file: ParquetWriter;
  readonly #groupRows: number;

  /** @param about texts for the file's metadata, by key */
  constructor(
    columns: readonly Column[],
    about: Readonly<Record<string, string>> = {},
    { compression = "brotli", groupRows = rowsPerGroup }: ParquetForm = {},
  ) {
    this.#columns = columns;
    this.#groupRows = groupRows;
    this.#file = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaOf(columns),
      codec: codecOf[compression],
      compressors: packers,
      kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
      createdBy: "graphloom",
    });
  }

  /**
   * Adds rows, as one or more row groups.
   * @returns the next piece
   */
  add(values: ColumnValues): Uint8Array {
    this.#file.write({
      columnData: this.#columns.map((column) => ({ name: column.name, data: dataOf(column, values) })),
      rowGroupSize: this.#groupRows,
      pageSize: pageBytes,
    });
    return this.#take();
  }

  /** @returns the last piece */
  finish(): Uint8Array {
    this.#file.finish();
    return this.#take();
  }

  #take(): Uint8Array {
    const piece = this.#bytes.getBytes().slice();
    // Keep `offset`: positions in the footer are relative to the file.
    this.#bytes.index = 0;
    return piece;
  }
}

/**
 * Writes rows as a Parquet file, as `ParquetPieces` does.
 * @param about texts for the file's metadata, by key
 */
export function writeParquet(
  columns: readonly Column[],
  values: ColumnValues,
  about: Readonly<Record<string, string>> = {},
  form: ParquetForm = {},
): Uint8Array {
  const pieces = new ParquetPieces(columns, about, form);
  const [rows, footer] = [pieces.add(values), pieces.finish()];
  const file = new Uint8Array(rows.length + footer.length);
  file.set(rows);
  file.set(footer, rows.length);
  return file;
}

function dataOf({ name, type }: Column, values: ColumnValues): unknown[] {
  const all = values[name];
  invariant(all, `the column ${name} has no values`);
  if (type !== "hex") return [...all];
  let before: ColumnValue | undefined;
  let bytes: Uint8Array | null = null;
  return all.map((value) => {
    // Neighbours often share a value.
    if (value !== before) {
      before = value;
      bytes = typeof value === "string" ? Buffer.from(value.slice(2), "hex") : null;
    }
    return bytes;
  });
}
