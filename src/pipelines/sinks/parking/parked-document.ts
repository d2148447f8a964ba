import type { Operation } from "../../changes/net-changes.js";
import { rowJson } from "../../changes/row-json.js";
import type { RowSchema } from "../../changes/schema.js";
import { keyIndexes, keyValues, type ParkedChange } from "../../state/parked-change.js";

/** A parked change for programs of other people. */
export interface ParkedDocument {
  readonly source: string;
  /** The range of the source that it came with. */
  readonly from: number;
  readonly to: number;
  readonly operation: Operation;
  readonly key: Readonly<Record<string, unknown>>;
  readonly row: Readonly<Record<string, unknown>>;
  /** Why it was refused; null for one that waits behind another. */
  readonly reason: string | null;
  readonly parkedAt: string;
  /** When it was dropped by hand; null for one that is to be written. */
  readonly droppedAt: string | null;
}

/** A parked change for a document. */
export function parkedDocument(change: ParkedChange, schema: RowSchema): ParkedDocument {
  const { source, from, to, row, reason, at, droppedAt, isUnread } = change;
  const values = JSON.parse(rowJson(schema.columns, row, 0)) as Readonly<Record<string, unknown>>;
  const key = keyIndexes(schema).map((index) => schema.columns[index]?.name ?? "");
  return {
    source,
    from,
    to,
    operation: change.operation,
    key: isUnread ? keyTexts(change, schema) : Object.fromEntries(key.map((name) => [name, values[name]])),
    row: isUnread ? {} : values,
    reason: reason ?? null,
    parkedAt: new Date(at).toISOString(),
    droppedAt: droppedAt === undefined ? null : new Date(droppedAt).toISOString(),
  };
}

/** The texts of a change's key, by which it is chosen. */
export function keyTexts(change: ParkedChange, schema: RowSchema): Readonly<Record<string, string>> {
  return Object.fromEntries([...keyValues(change, schema)].map(([name, value]) => [name, String(value)]));
}
