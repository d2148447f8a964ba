import type { LedgerUpdate } from "../../changes/kept-ledger.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import type { Rows } from "../../changes/rows.js";
import type { StoredRows } from "../../changes/stored-rows.js";
import type { SinkBatch, WrittenPosition } from "../../state/sink-batch.js";

/** What a source has come to while rows wait. */
export interface WaitingSource {
  readonly position: WrittenPosition;
  /** Entries of the ledger that are new, by where they begin; `undefined` for those that are dropped. */
  readonly ledger: Map<number, LedgerEntry | undefined>;
}

/** Batches that are written together. */
export class WaitingBatches {
  /** Rows in the format of the insert. */
  readonly blocks: Uint8Array[] = [];
  /** Rows that the SQL engine holds; nothing else is written with them. */
  stored: StoredRows | undefined;
  readonly sources = new Map<string, WaitingSource>();
  /** The version of the last batch. */
  version = 0;
  rows = 0;
  /** Whether it is known when they are written at the latest. */
  isTimed = false;
  /** What the last batch replaces or deletes; none if there are several batches. */
  before: Rows | undefined;

  /** Adds a batch without its rows. */
  add(
    { source, position }: Pick<SinkBatch, "source" | "position">,
    version: number,
    { drop, put }: LedgerUpdate,
  ): void {
    this.version = version;
    const { ledger = new Map<number, LedgerEntry | undefined>() } = this.sources.get(source) ?? {};
    for (const from of drop) ledger.set(from, undefined);
    for (const entry of put) ledger.set(entry.from, entry);
    this.sources.set(source, { position, ledger });
  }
}
