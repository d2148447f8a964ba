import { present } from "../../base/invariant.js";
import { isRecord, parseJson } from "../../base/text/json-value.js";
import type { Operation } from "../changes/net-changes.js";
import { type Rows, type RowValue, textOfRow } from "../changes/rows.js";
import { rowsFromText, rowsText } from "../changes/rows-text.js";
import type { RowColumn, RowSchema } from "../changes/schema.js";
import { readPart } from "../changes/source-parts.js";

/** A change that a sink has refused, or that waits behind one of the same key. */
export interface ParkedChange {
  /** Its place among all of the sink, from 1 on. */
  readonly number: number;
  readonly source: string;
  /** The range of the source that it came with. */
  readonly from: number;
  readonly to: number;
  readonly operation: Operation;
  /** One row: after the change, and for a deletion before it. */
  readonly row: Rows;
  /** For an update, the row before it, if the source has told. */
  readonly before: Rows | undefined;
  /** Why it was refused; `undefined` for one that waits behind another. */
  readonly reason: string | undefined;
  /** When it was parked, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Set for a message of a topic that could not be read: its row has only nulls. */
  readonly isUnread?: true;
  /** When it was dropped by hand; `undefined` for one that is to be written. It stays until its key is written. */
  readonly droppedAt: number | undefined;
}

/** A change of the parked changes. */
export interface ParkedUpdate {
  /** Numbers of the removed changes. */
  readonly removed: readonly number[];
  /** New changes, and changes that replace one with the same number. */
  readonly put: readonly ParkedChange[];
}

/** Indexes of the columns that tell which change belongs to which row: the key, or all if rows have none. */
export function keyIndexes({ columns, key }: RowSchema): readonly number[] {
  if (key.length === 0) return columns.map((_, index) => index);
  return key.map((name) => columns.findIndex((column) => column.name === name));
}

/** What tells a change from those of other rows. */
type KeyedChange = Pick<ParkedChange, "row" | "isUnread" | "source" | "from">;

/** A text that is equal for changes of the same row only. A message that could not be read is alone. */
export function keyOf({ row, isUnread, source, from }: KeyedChange, schema: RowSchema): string {
  return isUnread ? `unread ${source} ${from}` : textOfRow(row, 0, keyIndexes(schema));
}

/** The names by which messages that could not be read are chosen. */
export const unreadKey = ["kafka_partition", "kafka_offset"] as const;

/** The values of a change's key, by name. */
export function keyValues(
  { row, isUnread, source, from }: KeyedChange,
  schema: RowSchema,
): ReadonlyMap<string, RowValue> {
  if (isUnread) {
    const { partition } = present(
      readPart(source.slice(0, source.lastIndexOf("/")), source),
      "the partition",
    );
    return new Map([partition, from].map((value, index) => [unreadKey[index] ?? "", BigInt(value)]));
  }
  return new Map(
    keyIndexes(schema).map((index) => [schema.columns[index]?.name ?? "", row.columns[index]?.[0] ?? null]),
  );
}

/** A change as a text to keep it. */
export function parkedText(change: ParkedChange): string {
  const { row, before } = change;
  return JSON.stringify({ ...change, row: rowsText(row), ...(before && { before: rowsText(before) }) });
}

/**
 * Reads what `parkedText` wrote.
 * @param columns those of the sink
 * @returns `undefined` for another text, and for a change with other columns
 */
export function parkedFromText(text: string, columns: readonly RowColumn[]): ParkedChange | undefined {
  const read = parseJson(text);
  if (!isRecord(read) || typeof read.row !== "string") return undefined;
  const row = rowsFromText(read.row, columns);
  const before = typeof read.before === "string" ? rowsFromText(read.before, columns) : undefined;
  if (!row || (read.before !== undefined && !before)) return undefined;
  return { ...(read as unknown as ParkedChange), row, before };
}

/** All parked changes after an update, in their order. */
export function updatedParked(
  parked: readonly ParkedChange[],
  { removed, put }: ParkedUpdate,
): readonly ParkedChange[] {
  const gone = new Set([...removed, ...put.map(({ number }) => number)]);
  return [...parked.filter(({ number }) => !gone.has(number)), ...put].sort(
    (one, other) => one.number - other.number,
  );
}
