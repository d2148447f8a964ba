import { pickRows, type Rows, type RowValue, textOfRow } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import type { StoredRows } from "../../changes/stored-rows.js";
import { SinkError } from "../../state/sink-error.js";
import { partitionFolder } from "./partition-folder.js";

/** Rows that share the values of the columns by which they are partitioned. */
export interface Partition {
  readonly folder: string;
  /** With all columns. */
  readonly rows: Rows;
}

/** Partitions of a window at most: each is a file. */
const mostPartitions = 1_000;

/** A partition of rows that the SQL engine holds. */
export interface StoredPartition {
  readonly folder: string;
  readonly values: readonly RowValue[];
}

/**
 * The partitions of rows that the SQL engine holds, by the names of their folders.
 * @param columns the partition columns
 * @throws SinkError as `splitRows` does
 */
export async function storedPartitions(
  stored: StoredRows,
  columns: readonly RowColumn[],
): Promise<readonly StoredPartition[]> {
  const names = columns.map(({ name }) => name);
  const found = await stored.valuesOf(names, mostPartitions + 1);
  if (found.length > mostPartitions) throw tooMany();
  return found
    .map((values) => ({ folder: partitionFolder(columns, values), values }))
    .sort((one, other) => (one.folder < other.folder ? -1 : 1));
}

/**
 * Divides rows by the values of some columns.
 * @param indexes of these columns, in the order of folders
 * @returns partitions by the names of their folders; the rows of each keep their order
 * @throws SinkError for too many partitions, and for a value that cannot name a folder
 */
export function splitRows(
  rows: Rows,
  columns: readonly RowColumn[],
  indexes: readonly number[],
): readonly Partition[] {
  const partitioning = indexes.flatMap((index) => columns[index] ?? []);
  const blocks = columns.findIndex(({ name }) => name === "block_number");
  const known = new Map<string, number[]>();
  const folders = new Map<string, number[]>();
  for (let row = 0; row < rows.count; row += 1) {
    const text = textOfRow(rows, row, indexes);
    let list = known.get(text);
    if (!list) {
      if (known.size === mostPartitions) throw tooMany();
      const values = indexes.map((index): RowValue => rows.columns[index]?.[row] ?? null);
      const folder = placedFolder(partitioning, values, rows.columns[blocks]?.[row]);
      list = folders.get(folder) ?? [];
      folders.set(folder, list);
      known.set(text, list);
    }
    list.push(row);
  }
  return [...folders]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([folder, list]) => ({ folder, rows: pickRows(rows, list) }));
}

/** @param block that of the row, if it has one @throws SinkError as `partitionFolder` does, with the block */
function placedFolder(
  columns: readonly RowColumn[],
  values: readonly RowValue[],
  block: RowValue | undefined,
): string {
  try {
    return partitionFolder(columns, values);
  } catch (error) {
    if (!(error instanceof SinkError) || block === undefined || block === null) throw error;
    throw new SinkError(`In block ${String(block)}: ${error.message}`, false, { cause: error });
  }
}

function tooMany(): SinkError {
  return new SinkError(
    `The rows of one window have more than ${mostPartitions} partitions, and each would be a file. Partition by fewer values, or set blocks_per_file to fewer blocks.`,
    false,
  );
}
