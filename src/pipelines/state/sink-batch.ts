import type { LedgerEntry } from "../changes/ledger.js";
import type { Changes } from "../changes/net-changes.js";
import type { Rows } from "../changes/rows.js";
import type { OpenBlock, SourcePosition, UnreadMessage } from "../sources/source.js";
import type { ParkedUpdate } from "./parked-change.js";

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
  /** Messages of a topic that could not be read. `Parking` keeps them aside. */
  readonly unread?: readonly UnreadMessage[] | undefined;
  /** How the changes that are kept aside differ once the batch is written; not at all if absent. */
  readonly parked?: ParkedUpdate;
  /** Whether the rows were written before, and a user has asked to write them again. The position stays. */
  readonly isReplay?: boolean;
  /** Whether the source goes back to an earlier position. Entries of the whole ledger are dropped then, not only of its end. */
  readonly isReturn?: boolean;
}
