import { FlowError } from "../changes/flow-error.js";
import type { LedgerEntry } from "../changes/ledger.js";
import type { Changes } from "../changes/net-changes.js";
import type { Rows } from "../changes/rows.js";
import type { OpenBlock, SourcePosition } from "../sources/source.js";

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
  /** Rejects when rows that waited for others could not be written. */
  readonly failure?: Promise<never>;
  /**
   * Writes changes and where to continue. How the two go together is the sink's class.
   * @throws SinkError
   */
  write(batch: SinkBatch): Promise<void>;
  /**
   * Where a source continues if the sink is opened again now; `undefined` if nothing of it is written. Only sinks that
   * gather batches have it: for others, it is the position of the last batch.
   */
  written?(source: string): number | undefined;
  /** Called when a source has ended, with the block after its last one. A sink that gathers rows writes them. */
  end?(source: string, next: number): Promise<void>;
  close(): Promise<void>;
}

/** A sink that cannot be written. */
export class SinkError extends FlowError {
  override readonly name = "SinkError";
}

/** Rows that do not fit into a sink. Nothing of their batch was written. */
export class RowError extends Error {
  override readonly name = "RowError";
  /** Indexes of the batch's rows. */
  readonly rows: readonly number[];

  /** @param message what does not fit, as a sentence */
  constructor(message: string, rows: readonly number[], options?: ErrorOptions) {
    super(message, options);
    this.rows = rows;
  }
}
