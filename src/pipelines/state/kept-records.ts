import { type LockHolder, readHolderNote } from "../../base/lock-holder.js";
import { parseJson } from "../../base/text/json-value.js";
import { type LedgerUpdate, updateLedger } from "../changes/kept-ledger.js";
import type { LedgerEntry } from "../changes/ledger.js";
import { rowsFromText } from "../changes/rows-text.js";
import type { RowColumn } from "../changes/schema.js";
import { otherRun } from "./other-run.js";
import { type ParkedChange, parkedFromText } from "./parked-change.js";
import { type SinkBatch, settledBefore, type WrittenBlock } from "./sink-batch.js";
import { SinkError, wentBack } from "./sink-error.js";

/** How the open blocks of a source differ from those of its last kept position. */
export interface BlockChanges {
  /** Numbers of blocks that are final now, or gone. */
  readonly gone: readonly number[];
  readonly added: readonly WrittenBlock[];
}

/** What a state holds of a source that later batches may change. */
export interface SourceEnd {
  readonly open: readonly WrittenBlock[];
  /** The end of its ledger. */
  readonly tail: readonly LedgerEntry[];
}

/** What a batch changes in the state of its source, beside the position. */
export interface SourceChange {
  readonly blocks: BlockChanges;
  readonly ledger: Pick<LedgerUpdate, "drop" | "put">;
  /** What the state holds afterwards. */
  readonly end: SourceEnd;
}

/**
 * Finds what a batch changes in the state of its source, so that only that is written.
 * @param end what the state holds; `undefined` for a source that was never written
 * @param ledger the whole ledger if the source goes back, since all of its entries may change then
 */
export function sourceChange(
  end: SourceEnd | undefined,
  { from, position, ledger: entry }: Pick<SinkBatch, "from" | "position" | "ledger">,
  ledger = end?.tail ?? [],
): SourceChange {
  const { open } = position;
  const { tail, ...changes } = updateLedger(ledger, { from, entry, settled: settledBefore(position) });
  return { blocks: blockChanges(end?.open ?? [], open), ledger: changes, end: { open, tail } };
}

function blockChanges(before: readonly WrittenBlock[], after: readonly WrittenBlock[]): BlockChanges {
  const had = new Set(before.map(({ hash }) => hash));
  const has = new Set(after.map(({ hash }) => hash));
  return {
    gone: before.filter(({ hash }) => !has.has(hash)).map(({ number }) => number),
    added: after.filter(({ hash }) => !had.has(hash)),
  };
}

/** What messages call the place of a state, and how to choose another one. */
export interface StatePlace {
  readonly name: string;
  /** As a sentence without its full stop. */
  readonly advice: string;
}

const database: StatePlace = {
  name: "The database",
  advice: "Give the pipeline another name and table",
};

/**
 * A block as it was kept.
 * @param text its rows, by rowsText
 * @param place the database by default
 * @throws SinkError if the rows have other columns
 */
export function keptBlock(
  source: string,
  { number, hash, text }: { readonly number: number; readonly hash: string; readonly text: string },
  columns: readonly RowColumn[],
  place = database,
): WrittenBlock {
  const rows = rowsFromText(text, columns);
  if (rows) return { number, hash, rows };
  throw new SinkError(
    `${place.name} keeps rows of block ${number} of source ${source}, which have other columns than the sink has now. ${place.advice}, or restore its definition.`,
    false,
  );
}

/** A change that was kept aside. @param text by parkedText @throws SinkError if it has other columns */
export function keptParked(text: string, columns: readonly RowColumn[]): ParkedChange {
  const parked = parkedFromText(text, columns);
  if (parked) return parked;
  throw new SinkError(
    "A parked change has other columns than the sink has now. Restore the definition, and retry or drop what is parked with: graphloom pipeline parked",
    false,
  );
}

/** The last time that a position was written. */
export interface LastWrite {
  /** How often it was written until then. */
  readonly version: bigint;
  /** Who has done it; `undefined` for one of an earlier version, which has not said so. */
  readonly writer: LockHolder | undefined;
}

/** The last time as the database has it. @param row `since` in milliseconds since the Unix epoch */
export function lastWrite(row: Readonly<Record<string, string | null>>): LastWrite {
  const { version, process, since } = row;
  return {
    version: BigInt(version ?? 0),
    writer: readHolderNote({ process: parseJson(process ?? ""), since }),
  };
}

/**
 * Why a position is not the one that this process has written last.
 * @param ours how often it was written when this process did it; absent if it has not
 * @param found the last time that it was written; absent if it is not there
 */
export function strangePosition(
  owner: { readonly flow: string; readonly sink: string },
  ours: bigint | undefined,
  found: LastWrite | undefined,
): SinkError {
  if (ours !== undefined && (found === undefined || found.version < ours)) return wentBack("sink's database");
  return otherRun(owner, found?.writer);
}
