import type { LockHolder } from "../../../base/lock-holder.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import type { PlacedRecord } from "../kafka-client.js";
import type { JournalHead, JournalRecord, OpenReference } from "./journal-records.js";

/** What a journal says, from its records in their order. */
export class JournalState {
  /** The last head of each source. */
  readonly heads = new Map<string, JournalHead>();
  /** Where the rows come from, if it was noted. */
  #lineage: string | undefined;
  /** Who has begun to write last, if it is known. */
  writer: LockHolder | undefined;
  readonly #ledger = new Map<string, Map<number, LedgerEntry>>();
  readonly #open = new Map<string, OpenRecord & { readonly bytes: Uint8Array }>();
  /** The rows of the last batch that has some, by their part. */
  #rows: { readonly batch: number; readonly parts: Map<number, readonly PlacedRecord[]> } | undefined;

  add(record: JournalRecord): void {
    switch (record.kind) {
      case "head":
        this.heads.set(record.head.source, record.head);
        return;
      case "rows":
        if (this.#rows?.batch !== record.batch) this.#rows = { batch: record.batch, parts: new Map() };
        this.#rows.parts.set(record.part, record.records);
        return;
      case "open": {
        const name = nameOf(record.source, record, record.part);
        const { bytes } = record;
        if (bytes) this.#open.set(name, { ...record, bytes });
        else this.#open.delete(name);
        return;
      }
      case "ledger": {
        const entries = this.#ledger.get(record.source) ?? new Map<number, LedgerEntry>();
        this.#ledger.set(record.source, entries);
        if (record.entry) entries.set(record.from, record.entry);
        else entries.delete(record.from);
        return;
      }
      case "lineage":
        this.#lineage = record.text;
        return;
      case "writer":
        this.writer = record.holder;
    }
  }

  get lineage(): KeptLineage {
    return { text: this.#lineage, isWritten: this.heads.size > 0 };
  }

  /** The head of the last batch; `undefined` if nothing was written. */
  get last(): JournalHead | undefined {
    return [...this.heads.values()].reduce<JournalHead | undefined>(
      (last, head) => (last && last.batch > head.batch ? last : head),
      undefined,
    );
  }

  /** The ledger of a source, in order. */
  ledger(source: string): readonly LedgerEntry[] {
    return [...(this.#ledger.get(source)?.values() ?? [])].sort((one, other) => one.from - other.from);
  }

  /** The rows of an open block, as they were written; `undefined` if a part is missing. */
  openRows(source: string, block: OpenReference): Uint8Array | undefined {
    const parts = Array.from(
      { length: block.parts },
      (_, part) => this.#open.get(nameOf(source, block, part))?.bytes,
    );
    return parts.every((part) => part !== undefined) ? Buffer.concat(parts) : undefined;
  }

  /**
   * Records that forget the rows of blocks which no head names: the rows of batches that began but did not finish.
   */
  forgetStrays(): readonly JournalRecord[] {
    const named = new Set(
      [...this.heads.values()].flatMap(({ source, open }) =>
        open.flatMap((block) =>
          Array.from({ length: block.parts }, (_, part) => nameOf(source, block, part)),
        ),
      ),
    );
    return [...this.#open]
      .filter(([name]) => !named.has(name))
      .map(([, record]) => ({ ...record, bytes: undefined }));
  }

  /**
   * The records of the last batch, which the topic may lack; none if those of a later batch were begun, as that happens
   * only once all are there.
   */
  get pending(): readonly PlacedRecord[] {
    const { last } = this;
    if (!last || this.#rows?.batch !== last.batch) return [];
    const { parts } = this.#rows;
    return Array.from({ length: last.parts }, (_, part) => parts.get(part) ?? []).flat();
  }
}

type OpenRecord = Extract<JournalRecord, { readonly kind: "open" }>;

function nameOf(
  source: string,
  { number, hash }: { readonly number: number; readonly hash: string },
  part: number,
): string {
  return JSON.stringify([source, number, hash, part]);
}
