import type { Changes, Operation } from "../../changes/net-changes.js";
import type { PlacedRecord } from "../kafka-client.js";
import { partitionOf } from "./murmur2.js";
import type { RowFormat } from "./row-format.js";

/** The header with the number of a record. Numbers rise, and a record that comes again has the same. */
export const sequenceHeader = "graphloom.sequence";
/** The header with what happened to a row, as Debezium calls it. */
const operationHeader = "dbz.op";

/** Names of operations. */
const operations: Readonly<Record<Operation, string>> = { i: "c", u: "u", d: "d" };

/** How changes are written. */
export interface ChangeFormat {
  readonly rows: RowFormat;
  readonly partitions: number;
  /** What a deletion holds: the row that is gone, or nothing. */
  readonly deletions: "row" | "tombstone";
}

/**
 * The records of changes, in order.
 * @param sequence the number of the first
 */
export function changeRecords(
  { operations: all, rows }: Changes,
  { rows: format, partitions, deletions }: ChangeFormat,
  sequence: bigint,
): readonly PlacedRecord[] {
  return all.map((operation, row) => {
    const value = format.value(rows, row);
    const key = format.key(rows, row);
    return {
      key,
      value: operation === "d" && deletions === "tombstone" ? null : value,
      headers: new Map([
        [operationHeader, operations[operation]],
        [sequenceHeader, String(sequence + BigInt(row))],
      ]),
      // A row without a key and its deletion meet as well.
      partition: partitionOf(key ?? value, partitions),
    };
  });
}
