import type { LedgerEntry } from "../changes/ledger.js";
import type { Changes } from "../changes/net-changes.js";
import { PipelineError } from "../changes/pipeline-error.js";
import type { Rows } from "../changes/rows.js";
import type { StoredRows } from "../changes/stored-rows.js";
import type { OpenBlock, SourcePosition, StoredLimits } from "../sources/source.js";
import type { ParkedChange, ParkedUpdate } from "./parking/parked-change.js";

/** A block that may still be replaced, with the rows that it has become for a sink. */
export interface WrittenBlock extends OpenBlock {
  /** Rows with the columns of the sink's schema. They are gone once the block is. */
  readonly rows: Rows;
}

/** How far a source has been written into a sink. */
export interface WrittenPosition extends SourcePosition {
  readonly open: readonly WrittenBlock[];
}

/** The first block that may still be undone: all before it stay as they are. */
export function settledBefore({ next, open }: SourcePosition): number {
  return open[0]?.number ?? next;
}

/** How far each source has been written into a sink. */
export type Positions = ReadonlyMap<string, WrittenPosition>;

/** Changes with the place in the sources that they lead to. */
export interface SinkBatch {
  /** The source that they come from. */
  readonly source: string;
  /** Blocks of the source, or changes of a feed. */
  readonly from: number;
  readonly to: number;
  readonly changes: Changes;
  /** Where the source continues once they are written. */
  readonly position: WrittenPosition;
  /** What the range has become; `undefined` for a block that is undone. Earlier entries from `from` on are dropped. */
  readonly ledger: LedgerEntry | undefined;
  /** How the changes that are kept aside differ once the batch is written; not at all if absent. */
  readonly parked?: ParkedUpdate;
  /** Whether the rows were written before, and a user has asked to write them again. The position stays. */
  readonly isReplay?: boolean;
  /** Whether the source goes back to an earlier position. Entries of the whole ledger are dropped then, not only of its end. */
  readonly isReturn?: boolean;
}

/** New rows of final blocks that the SQL engine holds, with the place in the source that they lead to. */
export interface StoredBatch extends Omit<SinkBatch, "changes" | "ledger" | "parked"> {
  readonly stored: StoredRows;
  readonly ledger: LedgerEntry;
}

/** How a sink takes rows that the SQL engine holds. */
export interface StoredWriting {
  /** How much a batch may have. */
  readonly limits: StoredLimits;
  /**
   * As `Sink.write`. No two rows have the same key.
   * @param onSlower told once, if rows are written in a slower way than the sink has for them: a clause that follows
   * "blocks 1 to 9 of transfers "
   * @returns whether they are written; if not, nothing is, and they have to be written by `Sink.write`
   */
  write(batch: StoredBatch, onSlower: (why: string) => void): Promise<boolean>;
}

/** A sink that is open. */
export interface Sink {
  /** Where each source continues; a source that is missing has not been read. */
  readonly positions: Positions;
  /**
   * Batches that an earlier run began to write, and that are to be written first, as they are. The positions are those
   * after them.
   */
  readonly unfinished?: readonly SinkBatch[];
  /** The changes that were kept aside, in their order. Only sinks that keep them with their positions have it. */
  readonly parked?: readonly ParkedChange[];
  /** Rejects when rows that waited for others could not be written. */
  readonly failure?: Promise<never>;
  /**
   * Writes changes and where to continue. How the two go together is the sink's class.
   * @throws SinkError
   */
  write(batch: SinkBatch): Promise<void>;
  /** The most blocks of a batch, if there is a limit. */
  readonly mostBlocks?: number;
  /** Set if it takes rows that the SQL engine holds. */
  readonly storedWriting?: StoredWriting | undefined;
  /**
   * Where a source continues if the sink is opened again now; `undefined` if nothing of it is written. Only sinks that
   * gather batches have it: for others, it is the position of the last batch.
   */
  written?(source: string): number | undefined;
  /** Called when a source has ended, with the block after its last one. A sink that gathers rows writes them. */
  end?(source: string, next: number): Promise<void>;
  /**
   * Forgets how far all sources were written, so that they are read from their start. Rows stay. Nothing else is called
   * afterwards but `close`. Missing for a sink that would hold rows twice.
   */
  forget?(): Promise<void>;
  close(): Promise<void>;
}

/** A sink that cannot be written. */
export class SinkError extends PipelineError {
  override readonly name = "SinkError";
}

/**
 * What a sink keeps is older than what this process has kept there. The next attempt reads its position again.
 * @param what where it is kept
 */
export function wentBack(what: string): SinkError {
  return new SinkError(
    `The ${what} has gone back to an earlier state, as after a failover or a restore. The sink reads its position again.`,
    true,
  );
}

/** A row that a sink refuses. */
export interface RefusedRow {
  /** Its index in the batch. */
  readonly row: number;
  /** What the sink says about it. */
  readonly why: string;
  /** The column that it does not fit into, if the sink knows. */
  readonly column?: string | undefined;
}

/** Rows that do not fit into a sink. Nothing of their batch was written. */
export class RowError extends Error {
  override readonly name = "RowError";
  readonly refused: readonly RefusedRow[];
  /** What to do, where correcting the query is not the way; as a sentence without its full stop. */
  readonly advice: string | undefined;

  /**
   * @param message what does not fit, as a sentence
   * @param rows indexes of the batch's rows, or the facts about each
   */
  constructor(
    message: string,
    rows: readonly (number | RefusedRow)[],
    { advice, ...options }: ErrorOptions & { readonly advice?: string } = {},
  ) {
    super(message, options);
    this.advice = advice;
    this.refused = rows.map((row) => (typeof row === "number" ? { row, why: message } : row));
  }

  /** Indexes of the batch's rows. */
  get rows(): readonly number[] {
    return this.refused.map(({ row }) => row);
  }
}
