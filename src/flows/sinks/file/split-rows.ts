import { type FlowValue, pickRows, type Rows } from "../../changes/rows.js";
import type { FlowColumn } from "../../changes/schema.js";
import { SinkError } from "../sink.js";
import { partitionFolder } from "./partition-folder.js";

/** Rows that share the values of the columns by which they are partitioned. */
export interface Partition {
  readonly folder: string;
  /** With all columns. */
  readonly rows: Rows;
}

/** Partitions of a window at most: each is a file. */
export const mostPartitions = 1_000;

/**
 * Divides rows by the values of some columns.
 * @param indexes of these columns, in the order of folders
 * @returns partitions by the names of their folders; the rows of each keep their order
 * @throws SinkError for too many partitions, and for a value that cannot name a folder
 */
export function splitRows(
  rows: Rows,
  columns: readonly FlowColumn[],
  indexes: readonly number[],
): readonly Partition[] {
  const partitioning = indexes.flatMap((index) => columns[index] ?? []);
  const known = new Map<string, number[]>();
  for (let row = 0; row < rows.count; row += 1) {
    const values = indexes.map((index): FlowValue => rows.columns[index]?.[row] ?? null);
    const folder = partitionFolder(partitioning, values);
    const list = known.get(folder);
    if (list) list.push(row);
    else if (known.size < mostPartitions) known.set(folder, [row]);
    else
      throw new SinkError(
        `The rows of one window have more than ${mostPartitions} partitions, and each would be a file. Partition by fewer values, or set blocks_per_file to fewer blocks.`,
        false,
      );
  }
  return [...known.keys()]
    .sort()
    .map((folder) => ({ folder, rows: pickRows(rows, known.get(folder) ?? []) }));
}
