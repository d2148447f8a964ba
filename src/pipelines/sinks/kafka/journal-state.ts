import type { LockHolder } from "../../../base/lock-holder.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import type { PlacedRecord } from "../kafka-client.js";
import type { AsideReference, JournalHead, JournalRecord, OpenReference, Slot } from "./journal-records.js";

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
  /** All parked changes. */
  aside: readonly AsideReference[] = [];
  readonly #aside = new Map<string, AsideRecord & { readonly bytes: Uint8Array }>();
  /** The records of the last batches that have some, by their place and part. */
  readonly #rows = new Map<Slot, Parts<readonly PlacedRecord[]>>();
  /** The last batch with records that brokers refuse. */
  #refused: number | undefined;
  /** The changes that the records are made of, if they were noted. */
  readonly #changes = new Map<Slot, Parts<Uint8Array>>();

  add(record: JournalRecord): void {
    switch (record.kind) {
      case "head":
        this.heads.set(record.head.source, record.head);
        return;
      case "rows":
        addPart(this.#rows, record, record.records);
        return;
      case "changes":
        addPart(this.#changes, record, record.bytes);
        return;
      case "open": {
        const name = nameOf(record.source, record, record.part);
        const { bytes } = record;
        if (bytes) this.#open.set(name, { ...record, bytes });
        else this.#open.delete(name);
        return;
      }
      case "refused":
        this.#refused = record.batch;
        return;
      case "aside": {
        const { bytes } = record;
        if (bytes) this.#aside.set(asideName(record.id, record.part), { ...record, bytes });
        else this.#aside.delete(asideName(record.id, record.part));
        return;
      }
      case "parked":
        this.aside = record.index;
        return;
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

  /** The text of a parked change; `undefined` if a part is missing. */
  asideText({ id, parts: count }: AsideReference): string | undefined {
    const parts = Array.from({ length: count }, (_, part) => this.#aside.get(asideName(id, part))?.bytes);
    return parts.every((part) => part !== undefined) ? Buffer.concat(parts).toString() : undefined;
  }

  /**
   * Records that forget the rows of blocks which no head names, and parked changes which their index does not name: what
   * batches left that began but did not finish, or what others had no time to forget.
   */
  forgetStrays(): readonly JournalRecord[] {
    const named = new Set(
      [...this.heads.values()].flatMap(({ source, open }) =>
        open.flatMap((block) =>
          Array.from({ length: block.parts }, (_, part) => nameOf(source, block, part)),
        ),
      ),
    );
    const aside = new Set(
      this.aside.flatMap(({ id, parts }) => Array.from({ length: parts }, (_, part) => asideName(id, part))),
    );
    return [
      ...[...this.#open].filter(([name]) => !named.has(name)),
      ...[...this.#aside].filter(([name]) => !aside.has(name)),
    ].map(([, record]) => ({ ...record, bytes: undefined }));
  }

  /**
   * The records of the last batch, which the topic may lack; none if those of a later batch were begun, as that happens
   * only once all are there.
   */
  get pending(): readonly PlacedRecord[] {
    const { last } = this;
    const rows = last && this.#rows.get(last.slot);
    if (!last || rows?.batch !== last.batch) return [];
    return Array.from({ length: last.parts }, (_, part) => rows.parts.get(part) ?? []).flat();
  }

  /** Whether brokers have refused records of the last batch. */
  get hasRefused(): boolean {
    return this.last !== undefined && this.#refused === this.last.batch;
  }

  /** The text of the changes that the last batch is made of; `undefined` if it was not noted. It may lack its end. */
  get changesText(): string | undefined {
    const { last } = this;
    const changes = last && this.#changes.get(last.slot);
    if (!last || changes?.batch !== last.batch) return undefined;
    const parts = [...changes.parts].sort(([one], [other]) => one - other);
    return Buffer.concat(parts.map(([, bytes]) => bytes)).toString();
  }
}

/** The parts of what a batch has in one place. */
interface Parts<T> {
  readonly batch: number;
  readonly parts: Map<number, T>;
}

function addPart<T>(
  all: Map<Slot, Parts<T>>,
  { slot, batch, part }: { readonly slot: Slot; readonly batch: number; readonly part: number },
  content: T,
): void {
  const before = all.get(slot);
  const own = before?.batch === batch ? before : { batch, parts: new Map<number, T>() };
  own.parts.set(part, content);
  all.set(slot, own);
}

type OpenRecord = Extract<JournalRecord, { readonly kind: "open" }>;

type AsideRecord = Extract<JournalRecord, { readonly kind: "aside" }>;

function asideName(id: string, part: number): string {
  return `${part} ${id}`;
}

function nameOf(
  source: string,
  { number, hash }: { readonly number: number; readonly hash: string },
  part: number,
): string {
  return JSON.stringify([source, number, hash, part]);
}
