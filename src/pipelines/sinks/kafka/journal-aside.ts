import { isRecord, parseJson } from "../../../base/text/json-value.js";
import type { Operation } from "../../changes/net-changes.js";
import { rowsFromText, rowsText } from "../../changes/rows-text.js";
import type { RowColumn, RowSchema } from "../../changes/schema.js";
import { keptParked } from "../../state/kept-records.js";
import { type ParkedChange, type ParkedUpdate, parkedText } from "../../state/parked-change.js";
import type { SinkBatch } from "../../state/sink-batch.js";
import type { AsideReference, JournalRecord } from "./journal-records.js";
import type { JournalState } from "./journal-state.js";

/** How a batch changes what is parked. */
interface AsideChanges {
  /** Written before the head of the batch. */
  readonly texts: readonly JournalRecord[];
  /** Written together with the head. */
  readonly index: readonly JournalRecord[];
  /** Written after it. What a crash leaves here is forgotten by the next run. */
  readonly gone: readonly JournalRecord[];
}

/**
 * How a batch changes what is parked.
 * @param before all parked changes
 * @param batch its number
 * @param size bytes of a part of a text
 */
export function asideChanges(
  before: readonly AsideReference[],
  update: ParkedUpdate | undefined,
  { batch, size }: { readonly batch: number; readonly size: number },
): AsideChanges {
  if (!update) return { texts: [], index: [], gone: [] };
  const changed = new Set([...update.removed, ...update.put.map(({ number }) => number)]);
  const added = update.put.map((change) => {
    const parts = cutBytes(Buffer.from(parkedText(change)), size);
    return { parts, number: change.number, id: `${batch}.${change.number}` };
  });
  const index = [
    ...before.filter(({ number }) => !changed.has(number)),
    ...added.map(({ number, id, parts }) => ({ number, id, parts: parts.length })),
  ];
  return {
    texts: added.flatMap(({ id, parts }) =>
      parts.map((bytes, part) => ({ kind: "aside", id, part, bytes }) as const),
    ),
    index: [{ kind: "parked", index }],
    gone: before
      .filter(({ number }) => changed.has(number))
      .flatMap(({ id, parts }) =>
        Array.from({ length: parts }, (_, part) => ({ kind: "aside", id, part, bytes: undefined }) as const),
      ),
  };
}

/** Bytes in parts of a size. */
export function cutBytes(bytes: Buffer, size: number): readonly Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, part) =>
    bytes.subarray(part * size, (part + 1) * size),
  );
}

/** The parked changes of a journal, in their order. @throws SinkError if one cannot be read */
export function parkedIn(state: JournalState, columns: readonly RowColumn[]): readonly ParkedChange[] {
  const changes = state.aside.map((one) => keptParked(state.asideText(one) ?? "", columns));
  return changes.sort((one, other) => one.number - other.number);
}

/** What the records of a batch are made of, so that the rows of refused ones can be parked. */
export type NotedBatch = Pick<SinkBatch, "source" | "from" | "to" | "changes" | "isReplay">;

/** The changes of a batch as a text. */
export function changesText({ source, from, to, changes, isReplay }: NotedBatch): string {
  const { operations, rows, replaced } = changes;
  return JSON.stringify({
    source,
    from,
    to,
    isReplay,
    operations: operations.join(""),
    rows: rowsText(rows),
    ...(replaced && { replaced: rowsText(replaced) }),
  });
}

/** Reads what `changesText` wrote. @returns `undefined` for anything else, and for rows with other columns */
export function changesFromText(text: string, schema: RowSchema): NotedBatch | undefined {
  const read = parseJson(text);
  if (!isRecord(read)) return undefined;
  const rows = rowsFromText(String(read.rows), schema.columns);
  if (!rows) return undefined;
  const replaced =
    typeof read.replaced === "string" ? rowsFromText(read.replaced, schema.columns) : undefined;
  return {
    source: String(read.source),
    from: Number(read.from),
    to: Number(read.to),
    ...(read.isReplay === true && { isReplay: true }),
    changes: {
      schema,
      operations: [...String(read.operations)] as Operation[],
      rows,
      ...(replaced && { replaced }),
      overwritten: 0,
    },
  };
}
