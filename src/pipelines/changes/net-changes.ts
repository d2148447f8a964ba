import type { Delta } from "./delta.js";
import { pickRows, type Rows, type RowValue, textOfRow } from "./rows.js";
import type { RowSchema } from "./schema.js";

/** How a row of a sink changes: it is inserted, updated or deleted. */
export type Operation = "i" | "u" | "d";

/** Changes of a sink's rows: at most one for each key. */
export interface Changes {
  readonly schema: RowSchema;
  /** The operation of each row in `rows`. Deletions come first. */
  readonly operations: readonly Operation[];
  /** The row after the change, and for a deletion the row before it. */
  readonly rows: Rows;
  /** The previous rows of updates, in the order of the updates; left out unless requested. */
  readonly replaced?: Rows;
  /** How many rows were replaced by a later row with the same key. Zero for unique keys. */
  readonly overwritten: number;
}

/**
 * Reduces a delta to its net effect: a row that was added and removed is not a change, nor is a row that was removed
 * and added again unchanged. With a key, each key has at most one change.
 */
export function netChanges(delta: Delta, schema: RowSchema): Changes {
  const { minus, plus } = delta;
  const left = cancel(delta, schema.columns.length);
  if (schema.key.length === 0) {
    const operations = [...left.minus.map(() => "d" as const), ...left.plus.map(() => "i" as const)];
    const rows = bothOf(minus, left.minus, plus, left.plus);
    return { schema, operations, rows, replaced: pickRows(minus, []), overwritten: 0 };
  }
  const key = schema.key.map((name) => schema.columns.findIndex((column) => column.name === name));
  const gone = lastByKey(minus, left.minus, key);
  const here = lastByKey(plus, left.plus, key);
  const deleted = [...gone].flatMap(([text, row]) => (here.has(text) ? [] : [row]));
  const operations: Operation[] = deleted.map(() => "d");
  const replaced: number[] = [];
  for (const text of here.keys()) {
    const before = gone.get(text);
    operations.push(before === undefined ? "i" : "u");
    if (before !== undefined) replaced.push(before);
  }
  return {
    schema,
    operations,
    rows: bothOf(minus, deleted, plus, [...here.values()]),
    replaced: pickRows(minus, replaced),
    overwritten: left.plus.length - here.size,
  };
}

/** Indexes of rows in the halves of a delta. */
interface Left {
  readonly minus: readonly number[];
  readonly plus: readonly number[];
}

/** The rest after rows in both halves have cancelled each other out, one by one. */
function cancel(delta: Delta, width: number): Left {
  const { minus, plus } = delta;
  if (minus.count === 0) return { minus: [], plus: countTo(plus.count) };
  const all = countTo(width);
  const gone = new Map<string, number[]>();
  for (let row = 0; row < minus.count; row += 1) {
    const text = textOfRow(minus, row, all);
    const same = gone.get(text);
    if (same) same.push(row);
    else gone.set(text, [row]);
  }
  const kept = countTo(plus.count).filter((row) => gone.get(textOfRow(plus, row, all))?.pop() === undefined);
  return { minus: [...gone.values()].flat().sort((one, other) => one - other), plus: kept };
}

/** The last row of each key, in the order in which the keys first appear. */
function lastByKey(
  rows: Rows,
  indexes: readonly number[],
  key: readonly number[],
): ReadonlyMap<RowValue, number> {
  const last = new Map<RowValue, number>();
  const [first = 0] = key;
  const only = key.length === 1 ? rows.columns[first] : undefined;
  for (const row of indexes) {
    const value = only?.[row];
    // A single value is its own key, which is much faster than a text; lists are not equal to each other.
    const isKey = value !== undefined && (typeof value !== "object" || value === null);
    last.set(isKey ? value : textOfRow(rows, row, key), row);
  }
  return last;
}

function bothOf(minus: Rows, gone: readonly number[], plus: Rows, kept: readonly number[]): Rows {
  const after =
    kept.length === plus.count && kept.every((row, index) => row === index) ? plus : pickRows(plus, kept);
  if (gone.length === 0) return after;
  const before = pickRows(minus, gone);
  return {
    count: before.count + after.count,
    columns: before.columns.map((column, index) => column.concat(after.columns[index] ?? [])),
  };
}

function countTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
