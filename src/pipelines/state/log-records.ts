import { isRecord } from "../../base/text/json-value.js";
import { type LedgerEntry, type LedgerJson, ledgerJson, readLedgerJson } from "../changes/ledger.js";
import type { Operation } from "../changes/net-changes.js";
import type { Rows } from "../changes/rows.js";
import { rowsFromText, rowsText } from "../changes/rows-text.js";
import type { RowColumn } from "../changes/schema.js";
import { keptParked } from "./kept-records.js";
import { type ParkedUpdate, parkedText } from "./parked-change.js";
import type { WrittenBlock, WrittenPosition } from "./sink-batch.js";
import type { KeptBatch, StateOwner } from "./state-store.js";

/** The first record, which says whose state it is. It leaves out the target, since the path of a URL may be a key. */
export interface HeaderRecord extends Omit<StateOwner, "columns" | "target"> {
  readonly kind: "flow state 1";
  readonly id: string;
  readonly columns: readonly Pick<RowColumn, "name" | "type">[];
}

/** How a position differs from the one before it. */
interface Move {
  readonly next: number;
  /** The first and the last of the open blocks that stay. */
  readonly kept: readonly [number, number] | null;
  readonly added: readonly { readonly number: number; readonly hash: string; readonly rows: string }[];
}

/** How parked changes differ from before: numbers of removed ones, and texts of others by parkedText. */
interface ParkedMove {
  readonly removed: readonly number[];
  readonly put: readonly string[];
}

/** The records after the first one. */
export type StateRecord =
  /** Batches follow. Earlier ones without a `begin` were not written completely before the process ended. */
  | { readonly kind: "batches" }
  /** Some changes of the next batch. */
  | { readonly kind: "changes"; readonly operations: string; readonly rows: string }
  | {
      readonly kind: "batch";
      readonly source: string;
      readonly from: number;
      readonly to: number;
      readonly move: Move;
      readonly entry: LedgerJson | null;
      /** Whether a user has asked to write the rows again. */
      readonly replay?: boolean;
      /** How parked changes differ once the batch is written. */
      readonly parked?: ParkedMove;
    }
  /** The batches before it are about to be sent. Has the number of their first change. */
  | { readonly kind: "begin"; readonly first: number; readonly count: number }
  | { readonly kind: "arrived"; readonly last: number }
  /** All of them have arrived. With how parked changes differ then, if that is not as the batches say. */
  | { readonly kind: "finish"; readonly parked?: ParkedMove }
  /** A parked change when the journal was last rewritten, by parkedText. */
  | { readonly kind: "parked"; readonly text: string }
  /** The state of a source when the journal was last rewritten. */
  | { readonly kind: "position"; readonly source: string; readonly move: Move }
  | { readonly kind: "entry"; readonly source: string; readonly entry: LedgerJson }
  | { readonly kind: "next"; readonly number: number }
  /** What the rows are computed from. */
  | { readonly kind: "lineage"; readonly text: string };

/** The most changes of a record, so that no line becomes too long to read. */
const chunk = 1_000;

/** The records of a batch. @param before the position that it starts from */
export function* batchRecords(
  batch: KeptBatch,
  before: WrittenPosition | undefined,
): Generator<StateRecord, void, void> {
  const { source, from, to, changes, position, ledger, isReplay, parked } = batch;
  const { operations, rows } = changes;
  for (let start = 0; start < rows.count; start += chunk) {
    const end = Math.min(start + chunk, rows.count);
    const part = { count: end - start, columns: rows.columns.map((column) => column.slice(start, end)) };
    yield { kind: "changes", operations: operations.slice(start, end).join(""), rows: rowsText(part) };
  }
  const entry = ledger === undefined ? null : entryOf(ledger);
  yield {
    kind: "batch",
    source,
    from,
    to,
    move: moveOf(position, before),
    entry,
    ...(isReplay && { replay: true }),
    ...(parked && { parked: parkedMoveOf(parked) }),
  };
}

/** How parked changes differ, as a record has it. */
export function parkedMoveOf({ removed, put }: ParkedUpdate): ParkedMove {
  return { removed, put: put.map(parkedText) };
}

/** @throws SinkError if a change has other columns */
export function parkedUpdateOf({ removed, put }: ParkedMove, columns: readonly RowColumn[]): ParkedUpdate {
  return { removed, put: put.map((text) => keptParked(text, columns)) };
}

/** How a position differs from the one before it. */
export function moveOf({ next, open }: WrittenPosition, before: WrittenPosition | undefined): Move {
  const kept = keptOf(open, before?.open ?? []);
  const [first, last] = [kept[0], kept.at(-1)];
  return {
    next,
    kept: first && last ? [first.number, last.number] : null,
    added: open.slice(kept.length).map(({ number, hash, rows }) => ({ number, hash, rows: rowsText(rows) })),
  };
}

/** The first blocks, as long as the earlier position has the same ones in the same order. */
function keptOf(open: readonly WrittenBlock[], before: readonly WrittenBlock[]): readonly WrittenBlock[] {
  const isSame = (one: WrittenBlock | undefined, other: WrittenBlock | undefined): boolean =>
    one?.number === other?.number && one?.hash === other?.hash;
  const start = before.findIndex((block) => isSame(block, open[0]));
  if (start === -1) return [];
  const end = open.findIndex((block, index) => !isSame(block, before[start + index]));
  return end === -1 ? open : open.slice(0, end);
}

/** An entry of the ledger in a record. */
export function entryOf(entry: LedgerEntry): LedgerJson {
  return ledgerJson(entry, 16);
}

/** A record that this program does not write. */
export class StrangeRecord extends Error {}

/** @throws StrangeRecord */
export function readHeader(record: unknown): HeaderRecord {
  const isHeader =
    isRecord(record) &&
    record.kind === "flow state 1" &&
    [record.id, record.flow, record.sink].every((text) => typeof text === "string") &&
    Array.isArray(record.columns);
  if (!isHeader) throw new StrangeRecord();
  return record as unknown as HeaderRecord;
}

/** Checks only the kind of a record, since its checksum proves that this program has written it. @throws StrangeRecord */
export function readRecord(record: unknown): StateRecord {
  const kinds: readonly StateRecord["kind"][] = [
    ...([
      "batches",
      "changes",
      "batch",
      "begin",
      "arrived",
      "finish",
      "parked",
      "position",
      "entry",
      "next",
      "lineage",
    ] as const),
  ];
  if (!isRecord(record) || !kinds.some((kind) => kind === record.kind)) throw new StrangeRecord();
  return record as unknown as StateRecord;
}

/** Applies a move to a position. @throws StrangeRecord */
export function moved(
  { next, kept, added }: Move,
  before: WrittenPosition | undefined,
  columns: readonly RowColumn[],
): WrittenPosition {
  const [first, last] = kept ?? [1, 0];
  const stays = (before?.open ?? []).filter(({ number }) => number >= first && number <= last);
  const comes = added.map(
    ({ number, hash, rows }): WrittenBlock => ({ number, hash, rows: rowsOf(rows, columns) }),
  );
  return { next, open: [...stays, ...comes] };
}

/** @throws StrangeRecord */
export function changesOf(
  { operations, rows }: Extract<StateRecord, { readonly kind: "changes" }>,
  columns: readonly RowColumn[],
): { readonly operations: readonly Operation[]; readonly rows: Rows } {
  return { operations: [...operations] as Operation[], rows: rowsOf(rows, columns) };
}

/** @throws StrangeRecord */
export function ledgerEntryOf(json: LedgerJson): LedgerEntry {
  const entry = readLedgerJson(json, 16);
  if (!entry) throw new StrangeRecord();
  return entry;
}

function rowsOf(text: string, columns: readonly RowColumn[]): Rows {
  const rows = rowsFromText(text, columns);
  if (!rows) throw new StrangeRecord();
  return rows;
}
