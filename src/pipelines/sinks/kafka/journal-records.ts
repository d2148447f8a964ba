import { holderNote, type LockHolder, readHolderNote } from "../../../base/lock-holder.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { type LedgerEntry, ledgerJson, readLedgerJson } from "../../changes/ledger.js";
import type { KafkaRecord, PlacedRecord, ReadRecord } from "../kafka-client.js";
import { packRecords, unpackRecords } from "./packed-records.js";

/** A block that may still be replaced, and in how many records its rows are. */
export interface OpenReference {
  readonly number: number;
  readonly hash: string;
  readonly parts: number;
}

/** What was written of a source, and how to find its last records. */
export interface JournalHead {
  readonly flow: string;
  readonly sink: string;
  readonly source: string;
  /** The format of the topic's records. */
  readonly format: string;
  /** Where the source continues. */
  readonly next: number;
  readonly open: readonly OpenReference[];
  /** Partitions of the topic. With more of them, keys would change their partition. */
  readonly partitions: number;
  /** The number of the batch; batches of all sources are counted together. */
  readonly batch: number;
  /** The number of the batch's first record. */
  readonly sequence: bigint;
  /** Records of the batch, and in how many records of the journal they are. */
  readonly count: number;
  readonly parts: number;
  /** Where these records are: a batch that begins before the records of the last one are there takes the other place. */
  readonly slot: Slot;
  /** Offsets by partition from which on the batch's records are. */
  readonly ends: readonly bigint[];
}

/** One of two places for the records of a batch, so that those of the last one stay until the next head is there. */
export type Slot = 0 | 1;

/** A parked change, and in how many records its text is. */
export interface AsideReference {
  readonly number: number;
  readonly id: string;
  readonly parts: number;
}

/** A record of the journal, without the mark of where it belongs. */
export type JournalRecord =
  /** Records that the topic gets once the head of their batch is written. */
  | {
      readonly kind: "rows";
      readonly slot: Slot;
      readonly batch: number;
      readonly part: number;
      readonly records: readonly PlacedRecord[];
    }
  /** A part of the changes that the records of a batch are made of. */
  | {
      readonly kind: "changes";
      readonly slot: Slot;
      readonly batch: number;
      readonly part: number;
      readonly bytes: Uint8Array;
    }
  /** Brokers refuse some records of a batch. */
  | { readonly kind: "refused"; readonly batch: number }
  /** A part of the rows of an open block; none to forget it. */
  | {
      readonly kind: "open";
      readonly source: string;
      readonly number: number;
      readonly hash: string;
      readonly part: number;
      readonly bytes: Uint8Array | undefined;
    }
  /** An entry of the ledger; none to drop it. */
  | {
      readonly kind: "ledger";
      readonly source: string;
      readonly from: number;
      readonly entry: LedgerEntry | undefined;
    }
  | { readonly kind: "head"; readonly head: JournalHead }
  /** A part of the text of a parked change; none to forget it. */
  | {
      readonly kind: "aside";
      readonly id: string;
      readonly part: number;
      readonly bytes: Uint8Array | undefined;
    }
  /** All parked changes. */
  | { readonly kind: "parked"; readonly index: readonly AsideReference[] }
  /** Where the rows come from. */
  | { readonly kind: "lineage"; readonly text: string }
  /** A process begins to write, and the previous writer has to stop. */
  | { readonly kind: "writer"; readonly holder: LockHolder | undefined };

/** The header with the batch of rows. */
const batchHeader = "batch";
/** The header that says where a record belongs: of two writers' records, only those of one are at their places. */
const placeHeader = "place";

/** The bytes of a journal record. @param topic the id of the topic that it is about; @param offset where it belongs */
export function encodeJournal(record: JournalRecord, topic: string, offset: bigint): KafkaRecord {
  const { name, value, headers = [] } = contentOf(record);
  return {
    key: Buffer.from(JSON.stringify(name)),
    value,
    headers: new Map([[placeHeader, `${topic} ${offset}`], ...headers]),
  };
}

interface Content {
  readonly name: readonly unknown[];
  readonly value: Uint8Array | null;
  readonly headers?: readonly (readonly [string, string])[];
}

function contentOf(record: JournalRecord): Content {
  switch (record.kind) {
    case "rows":
      return {
        name: slotName("rows", record),
        value: packRecords(record.records),
        headers: [[batchHeader, String(record.batch)]],
      };
    case "open": {
      const { source, number, hash, part, bytes } = record;
      return { name: ["open", source, number, hash, part], value: bytes ?? null };
    }
    case "ledger": {
      const { source, from, entry } = record;
      const value = entry ? Buffer.from(JSON.stringify(ledgerJson(entry))) : null;
      return { name: ["ledger", source, from], value };
    }
    case "head": {
      const { sequence, ends, ...rest } = record.head;
      const text = JSON.stringify({ ...rest, sequence: String(sequence), ends: ends.map(String) });
      return { name: ["head", record.head.source], value: Buffer.from(text) };
    }
    case "changes":
      return {
        name: slotName("changes", record),
        value: record.bytes,
        headers: [[batchHeader, String(record.batch)]],
      };
    case "refused":
      return { name: ["refused"], value: Buffer.from(String(record.batch)) };
    case "aside":
      return { name: ["aside", record.id, record.part], value: record.bytes ?? null };
    case "parked":
      return { name: ["parked"], value: Buffer.from(indexText(record.index)) };
    case "lineage":
      return { name: ["lineage"], value: Buffer.from(record.text) };
    case "writer":
      return {
        name: ["writer"],
        value: Buffer.from(JSON.stringify(record.holder ? holderNote(record.holder) : {})),
      };
  }
}

/**
 * Reads what `encodeJournal` wrote.
 * @param topic the id of the topic that is written
 * @returns `undefined` for a record that is not at its place, or that is about another topic
 * @throws Error for anything else
 */
export function decodeJournal(
  { key, value, headers, offset }: ReadRecord,
  topic: string,
): JournalRecord | undefined {
  if (headers.get(placeHeader) !== `${topic} ${offset}`) return undefined;
  const name = parseJson(textOf(key));
  if (!Array.isArray(name)) throw new Error("a name is expected");
  const [kind, source, ...rest] = name;
  switch (kind) {
    case "rows": {
      const batch = countOf(Number(headers.get(batchHeader)));
      const records = unpackRecords(value ?? new Uint8Array());
      return { kind, slot: slotOf(rest[0]), batch, part: countOf(source), records };
    }
    case "changes": {
      const batch = countOf(Number(headers.get(batchHeader)));
      return { kind, slot: slotOf(rest[0]), batch, part: countOf(source), bytes: value ?? new Uint8Array() };
    }
    case "open": {
      const [number, hash, part] = rest;
      const place = { number: countOf(number), hash: stringOf(hash), part: countOf(part) };
      return { kind, source: stringOf(source), ...place, bytes: value ?? undefined };
    }
    case "ledger": {
      const from = countOf(rest[0]);
      return {
        kind,
        source: stringOf(source),
        from,
        entry: value ? entryOf(from, parseJson(textOf(value))) : undefined,
      };
    }
    case "head":
      return { kind, head: headOf(parseJson(textOf(value))) };
    case "refused":
      return { kind, batch: countOf(Number(textOf(value))) };
    case "aside":
      return { kind, id: stringOf(source), part: countOf(rest[0]), bytes: value ?? undefined };
    case "parked":
      return { kind, index: indexOf(parseJson(textOf(value))) };
    case "lineage":
      return { kind, text: textOf(value) };
    case "writer":
      return { kind, holder: readHolderNote(parseJson(textOf(value))) };
    default:
      throw new Error("an unknown record");
  }
}

/** Earlier versions have left out the first block, which is in the record's name. */
function entryOf(from: number, value: unknown): LedgerEntry {
  const entry = readLedgerJson(isRecord(value) && { ...value, from });
  if (entry) return entry;
  throw new Error("an entry of the ledger is expected");
}

/** Earlier versions know only the first place, so its names stay as they were. */
function slotName(
  kind: string,
  { slot, part }: { readonly slot: Slot; readonly part: number },
): readonly unknown[] {
  return slot === 0 ? [kind, part] : [kind, part, slot];
}

function slotOf(value: unknown): Slot {
  return value === 1 ? 1 : 0;
}

/** As short as it can be, since all that is parked is in one record. */
function indexText(index: readonly AsideReference[]): string {
  return JSON.stringify(index.map(({ number, id, parts }) => [number, id, parts]));
}

function indexOf(value: unknown): readonly AsideReference[] {
  if (!Array.isArray(value)) throw new Error("an index is expected");
  return value.map((one: unknown) => {
    if (!Array.isArray(one)) throw new Error("a reference is expected");
    const [number, id, parts] = one;
    return { number: countOf(number), id: stringOf(id), parts: countOf(parts) };
  });
}

function headOf(value: unknown): JournalHead {
  if (!isRecord(value) || !Array.isArray(value.open) || !Array.isArray(value.ends))
    throw new Error("a position is expected");
  return {
    flow: stringOf(value.flow),
    sink: stringOf(value.sink),
    source: stringOf(value.source),
    format: stringOf(value.format),
    next: countOf(value.next),
    open: value.open.map((block: unknown) => {
      if (!isRecord(block)) throw new Error("a block is expected");
      return { number: countOf(block.number), hash: stringOf(block.hash), parts: countOf(block.parts) };
    }),
    partitions: countOf(value.partitions),
    batch: countOf(value.batch),
    sequence: bigOf(value.sequence),
    count: countOf(value.count),
    parts: countOf(value.parts),
    slot: slotOf(value.slot),
    ends: value.ends.map(bigOf),
  };
}

function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function countOf(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new Error("a number is expected");
}

function stringOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw new Error("text is expected");
}

function bigOf(value: unknown): bigint {
  if (typeof value === "string" && /^-?\d{1,40}$/.test(value)) return BigInt(value);
  throw new Error("digits are expected");
}
