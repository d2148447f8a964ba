import { messageOf } from "../base/text/message-of.js";
import { unpackersUpTo, zstandard } from "../datasets/parquet/compression.js";
import { ParquetRows } from "../datasets/parquet/parquet-rows.js";
import type { SqlText } from "../store/database/database.js";
import { columnFault, type DumpColumn, valuesForSql } from "./dump-columns.js";
import { DumpError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import type { DumpChunk } from "./dump-metadata.js";
import type { TextColumns } from "./write-dump-file.js";

/** The most rows that are in memory for a statement. */
const mostRows = 5_000;

/** Rows of a file, with their first row group for messages. */
export interface ReadBatch {
  readonly vids: readonly bigint[];
  readonly columns: TextColumns;
}

/** Limits for a file that a stranger has sent. */
export interface ReadLimits {
  /** Bytes that its pages may unpack to, together. */
  readonly unpacked: number;
  /** Bytes of the values of a batch. Few bytes of a file can stand for many. */
  readonly batch: number;
}

const noLimits: ReadLimits = { unpacked: Number.POSITIVE_INFINITY, batch: Number.POSITIVE_INFINITY };

/**
 * Reads a file of a dump in order, and judges it: its columns, their values, the number of rows, and that vids ascend
 * within the bounds that the metadata states.
 * @param columns the first one has the vids
 * @throws DumpError with the file, and with the row group and the column where there is one
 */
export async function* readDumpFile(
  files: Pick<DumpFiles, "open">,
  { file: path, minVid, maxVid, rows }: DumpChunk,
  columns: readonly DumpColumn[],
  limits: ReadLimits = noLimits,
): AsyncGenerator<ReadBatch> {
  const fault = (message: string, cause?: unknown): DumpError =>
    new DumpError(`${path}: ${message}`, { cause });
  const file = await files.open(path);
  if (!file) throw fault("the file does not exist, and metadata.json names it");
  try {
    const parquet = await ParquetRows.open(file, unpackersUpTo(limits.unpacked, await zstandard()));
    if (parquet.rows !== rows) throw fault(`it has ${parquet.rows} rows, and metadata.json says ${rows}`);
    const wrong = columnFault(parquet.columns, columns);
    if (wrong !== undefined) throw fault(wrong);
    let last = minVid - 1n;
    for await (const batch of parquet.batches(columns.length, mostRows)) {
      const size = batch.columns.reduce((sum, values) => sum + sizeOf(values), 0);
      if (size > limits.batch)
        throw fault(`row group ${batch.group}: its rows have ${size} bytes, and ${limits.batch} are allowed`);
      const texts = columns.map((column, index) => {
        try {
          return valuesForSql(column, batch.columns[index] ?? []);
        } catch (error) {
          throw fault(`row group ${batch.group}, column ${column.name}: ${messageOf(error)}`, error);
        }
      });
      const vids = (texts[0] ?? []).map((vid: SqlText) => BigInt(vid ?? -1));
      for (const vid of vids) {
        if (vid <= last || vid > maxVid)
          throw fault(
            `row group ${batch.group}: vid ${vid} follows ${last}, and vids must ascend from ${minVid} to ${maxVid}`,
          );
        last = vid;
      }
      yield { vids, columns: texts };
    }
  } catch (error) {
    if (error instanceof DumpError || isOfSystem(error)) throw error;
    throw fault(messageOf(error), error);
  } finally {
    await file.close();
  }
}

/** About how many bytes some values have. */
function sizeOf(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => {
    if (typeof value === "string" || value instanceof Uint8Array) return sum + value.length;
    return sum + (Array.isArray(value) ? sizeOf(value) : 8);
  }, 0);
}

/** Whether the disk failed, rather than the file. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && "code" in error && "syscall" in error;
}
