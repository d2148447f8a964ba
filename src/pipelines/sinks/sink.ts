import type { LedgerEntry } from "../changes/ledger.js";
import type { StoredRows } from "../changes/stored-rows.js";
import type { StoredLimits } from "../sources/source.js";
import type { ParkedChange } from "../state/parked-change.js";
import type { Positions, SinkBatch } from "../state/sink-batch.js";

/** New rows of final blocks that the SQL engine holds, with the place in the source that they lead to. */
export interface StoredBatch extends Omit<SinkBatch, "changes" | "ledger" | "parked"> {
  readonly stored: StoredRows;
  readonly ledger: LedgerEntry;
}

/** How a sink takes rows that the SQL engine holds. */
export interface StoredWriting {
  /** How much a batch may have. */
  readonly limits: StoredLimits;
  /** The most rows of a batch. Larger ones are read and come in parts. */
  readonly mostRows?: number;
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
  /** About the most rows of a batch of several blocks, if there is a limit. */
  readonly mostRows?: number | undefined;
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
