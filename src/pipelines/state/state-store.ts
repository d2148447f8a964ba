import type { LedgerEntry } from "../changes/ledger.js";
import type { RowColumn } from "../changes/schema.js";
import type { ParkedChange, ParkedUpdate } from "./parked-change.js";
import type { Positions, SinkBatch } from "./sink-batch.js";

/** Whose state is kept. */
export interface StateOwner {
  readonly flow: string;
  readonly sink: string;
  /** Where the rows go, such as a URL: rows of another place have a state of their own. */
  readonly target: string;
  /** The columns of the sink's rows. */
  readonly columns: readonly RowColumn[];
}

/** Whose state is read. */
export interface ReadStateOwner extends Omit<StateOwner, "columns"> {
  /** The columns of the sink's rows; without them, the state may belong to any rows. */
  readonly columns: StateOwner["columns"] | undefined;
}

/** A saved batch: the schema of its changes is the schema of the sink. */
export interface KeptBatch extends Omit<SinkBatch, "changes"> {
  readonly changes: Pick<SinkBatch["changes"], "operations" | "rows">;
}

/** The saved state of a sink. */
export interface KeptState {
  /** Differs from that of every other state, and stays the same as long as the state is there. */
  readonly id: string;
  /** Where rows come from, if it was kept. */
  readonly lineage?: string | undefined;
  /** The number of the last change that may have been sent; 0 if nothing was. */
  readonly last: number;
  /** How far each source has been written. */
  readonly positions: Positions;
  /** The changes that are kept aside, in their order. */
  readonly parked: readonly ParkedChange[];
  /** Batches that were begun after that and not finished, with the changes that have not arrived. */
  readonly unfinished: readonly KeptBatch[];
}

/**
 * The least number of the changes that a process sends, if they were not begun before: the microsecond in which it opens
 * the state. A state that was restored from a backup would otherwise give numbers again, to other changes, and receivers
 * that ignore numbers which they have seen would lose them.
 * @param now milliseconds since 1970
 */
export function leastNumber(now: number): number {
  return Math.floor(now) * 1_000;
}

/** The saved state of a sink, read without a lock on it. */
export interface StateReading {
  readonly kept: KeptState;
  /** The ledger of a source, in order. */
  ledger(source: string): readonly LedgerEntry[];
}

/**
 * The state of a sink that cannot keep it beside its rows. Batches are kept before they are sent, so that what is sent
 * again after a crash is what was sent before, under the same numbers. Only one process has a state open.
 */
export interface StateStore extends StateReading {
  /** The state when it was opened. */
  readonly kept: KeptState;
  /**
   * Keeps batches that are about to be sent, instead of others that were begun and not finished. They are on the disk
   * once the promise resolves.
   * @param least the least number that their first change may have
   * @returns the number of their first change; the others follow
   */
  begin(batches: readonly KeptBatch[], least?: number): Promise<number>;
  /** Notes that the changes of the batches have arrived up to this number. */
  arrived(last: number): Promise<void>;
  /**
   * Notes that all changes of the batches have arrived, which makes their positions and ledger entries valid.
   * @param parked how the changes that are kept aside differ now, instead of how the batches say
   */
  finish(parked?: ParkedUpdate): Promise<void>;
  /** Replaces the ledger entry of a source that begins at the same place, or adds one. */
  correct(source: string, entry: LedgerEntry): Promise<void>;
  /** Keeps where rows come from. */
  keepLineage(text: string): Promise<void>;
  /** Forgets how far sources were written, and what was begun. The id stays, and the numbers of changes continue. */
  forget(): Promise<void>;
  close(): Promise<void>;
}
