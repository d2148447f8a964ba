import type { LedgerEntry } from "../changes/ledger.js";
import type { FlowColumn } from "../changes/schema.js";
import type { Positions, WrittenPosition } from "./sink.js";

/** Whose state is kept. */
export interface StateOwner {
  readonly flow: string;
  readonly sink: string;
  /** Where the rows go, such as a URL: rows of another place have a state of their own. */
  readonly target: string;
  /** The columns of the sink's rows. */
  readonly columns: readonly FlowColumn[];
}

/** The state of a sink that cannot keep it beside its rows. Only one process has it open. */
export interface StateStore {
  /** @throws SinkError if what is kept cannot be read */
  read(): Promise<Positions>;
  /**
   * Keeps where a source continues, and what a range of it has become. It is durable once the promise resolves.
   * @param entry drops those from its `from` on; `undefined` for a block that is undone, whose entry is dropped
   */
  write(source: string, position: WrittenPosition, entry: LedgerEntry | undefined): Promise<void>;
  /** The ledger of a source, in order. */
  ledger(source: string): Promise<readonly LedgerEntry[]>;
  close(): Promise<void>;
}
