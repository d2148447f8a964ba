import { isSameHolder, type LockHolder, thisProcess } from "../../../base/lock-holder.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import { rowsText } from "../../changes/rows-text.js";
import { type SourceEnd, sourceChange } from "../../state/kept-records.js";
import type { LineageGuard } from "../../state/lineage-guard.js";
import { otherRun } from "../../state/other-run.js";
import type { Positions, SinkBatch, WrittenBlock } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import type { Kafka, KafkaTopic, PlacedRecord } from "../kafka-client.js";
import { cutRecords, sizeOf } from "./cut-records.js";
import { asideChanges, changesText, cutBytes, type NotedBatch } from "./journal-aside.js";
import {
  encodeJournal,
  type JournalHead,
  type JournalRecord,
  type OpenReference,
  type Slot,
} from "./journal-records.js";
import type { JournalState } from "./journal-state.js";
import { packedSize } from "./packed-records.js";
import { type JournalOwner, journalSuffix, positionsOf, readJournal } from "./read-journal.js";

/** Small segments, since only full ones are compacted. */
const settings: ReadonlyMap<string, string> = new Map([
  ["cleanup.policy", "compact"],
  ["segment.bytes", String(16 * 1024 * 1024)],
  ["min.cleanable.dirty.ratio", "0.1"],
]);

/** A batch before it is in the topic. */
export interface JournalBatch {
  readonly batch: SinkBatch;
  readonly records: readonly PlacedRecord[];
  /** The number of the first record. */
  readonly sequence: bigint;
  /** Offsets by partition at which the topic ends, or before. */
  readonly ends: readonly bigint[];
  /** What its records are made of, if that is noted as well: so it can be parked if they are refused. */
  readonly origin: NotedBatch | undefined;
  /** Whether the topic lacks some of the last batch's records, which this batch has again. */
  readonly isAgain?: boolean;
}

/**
 * A topic beside the one of the rows. It says how far each source was written. A batch is in it before it is in the topic,
 * so that a batch whose writing was interrupted is completed as it was begun, whatever its source says by then.
 *
 * It is a topic of one partition, where every record knows its offset in advance. Of two writers, only one finds its
 * records where they belong; the other stops.
 */
export class Journal {
  readonly state: JournalState;
  readonly positions: Positions;
  readonly #kafka: Kafka;
  readonly #owner: JournalOwner;
  /** Of the rows. */
  readonly #topic: KafkaTopic;
  readonly #limit: number;
  /** The offset at which the journal ends. */
  #end: bigint;
  readonly #ends = new Map<string, SourceEnd>();

  private constructor(
    kafka: Kafka,
    owner: JournalOwner,
    topic: KafkaTopic,
    limit: number,
    end: bigint,
    state: JournalState,
  ) {
    this.#kafka = kafka;
    this.#owner = owner;
    this.#topic = topic;
    this.#limit = limit;
    this.#end = end;
    this.state = state;
    this.positions = positionsOf(state, owner.columns, owner.topic);
    for (const [source, { open }] of this.positions)
      this.#ends.set(source, { open, tail: state.ledger(source) });
  }

  /** The largest record that can be written. */
  get limit(): number {
    return this.#limit;
  }

  /**
   * Reads the journal of a topic, which is created if it does not exist, and makes everybody else stop who writes it.
   * @param topic what the brokers say of the topic of the rows
   * @throws SinkError for the journal of another sink, and for one that cannot be read; KafkaError
   */
  static async open(
    kafka: Kafka,
    owner: JournalOwner,
    topic: KafkaTopic,
    lineage?: LineageGuard,
  ): Promise<Journal> {
    const name = owner.topic + journalSuffix;
    if (!(await kafka.topic(name))) await created(kafka, name);
    const read = await readJournal(kafka, owner, topic);
    if (!read) throw unknownTopic(name);
    const { state, found, end } = read;
    lineage?.check(state.lineage);
    if (found.partitions !== 1 || found.settings.get("cleanup.policy") !== "compact")
      throw new SinkError(
        `Topic ${name} must have one partition and cleanup.policy=compact, since it keeps what was written. Delete it, if nothing else uses it.`,
        false,
      );
    const journal = new Journal(kafka, owner, topic, limitOf(found, topic), end, state);
    await journal.#append([{ kind: "writer", holder: journal.#self }, ...state.forgetStrays()]);
    if (lineage && lineage.text !== state.lineage.text) await journal.keepLineage(lineage.text);
    return journal;
  }

  /**
   * Notes a batch. Once this is done, its records have to get into the topic.
   * @throws SinkError if another process writes the topic; KafkaError
   */
  async write({ batch, records, sequence, ends, origin, isAgain }: JournalBatch): Promise<void> {
    const { source, position, isReturn } = batch;
    const [range] = await this.#kafka.ranges(this.#name);
    if (range?.next !== this.#end) throw await this.#otherWriter();
    const before = isReturn ? this.state.ledger(source) : undefined;
    const { blocks, ledger, end } = sourceChange(this.#ends.get(source), batch, before);
    const kept = this.state.heads.get(source)?.open ?? [];
    const added = blocks.added.map((block) => this.#partsOf(source, block));
    const references = [
      ...kept.filter(({ number }) => !blocks.gone.includes(number)),
      ...added.flatMap(([part, ...others]) =>
        part ? { number: part.number, hash: part.hash, parts: others.length + 1 } : [],
      ),
    ];
    const slot = isAgain && this.state.last?.slot === 0 ? 1 : 0;
    const rows = this.#packed(records, slot);
    const { texts, index, gone } = asideChanges(this.state.aside, batch.parked, {
      batch: this.#batch,
      size: this.#partSize,
    });
    const changes = origin && records.length > 0 ? this.#changesOf(origin, this.#batch, slot) : [];
    await this.#append([...rows, ...changes, ...added.flat(), ...texts]);
    const { flow, sink, format } = this.#owner;
    const head: JournalHead = {
      flow,
      sink,
      source,
      format,
      next: position.next,
      open: references,
      partitions: this.#topic.partitions,
      batch: this.#batch,
      sequence,
      count: records.length,
      parts: rows.length,
      slot,
      ends,
    };
    await this.#appendAtOnce([
      ...ledger.drop.map((from) => ({ kind: "ledger", source, from, entry: undefined }) as const),
      ...ledger.put.map((entry) => ({ kind: "ledger", source, from: entry.from, entry }) as const),
      { kind: "head", head },
      ...index,
      ...kept
        .filter(({ number }) => blocks.gone.includes(number))
        .flatMap((block) => forgotten(source, block)),
    ]);
    this.#ends.set(source, end);
    if (gone.length > 0) await this.#append(gone);
  }

  /**
   * Notes that brokers refuse some records of the last batch.
   * @param changes what its records are made of, unless that is noted
   * @throws SinkError, KafkaError
   */
  async keepRefused(changes: NotedBatch | undefined): Promise<void> {
    const { batch = 0, slot = 0 } = this.state.last ?? {};
    const noted = changes ? this.#changesOf(changes, batch, slot) : [];
    await this.#append([...noted, { kind: "refused", batch }]);
  }

  #changesOf(batch: NotedBatch, number: number, slot: Slot): readonly JournalRecord[] {
    const parts = cutBytes(Buffer.from(changesText(batch)), this.#partSize);
    return parts.map((bytes, part) => ({ kind: "changes", slot, batch: number, part, bytes }));
  }

  /** Replaces an entry of the ledger, or adds one. Nothing is written after it. @throws SinkError, KafkaError */
  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#appendAtOnce([{ kind: "ledger", source, from: entry.from, entry }]);
  }

  /** Notes where the rows come from. @throws SinkError, KafkaError */
  async keepLineage(text: string): Promise<void> {
    await this.#appendAtOnce([{ kind: "lineage", text }]);
  }

  /** This run, as it writes itself down. */
  get #self(): LockHolder | undefined {
    const { began } = this.#owner;
    return began === undefined ? undefined : { ...thisProcess(), since: new Date(began) };
  }

  /** The number of the next batch. */
  get #batch(): number {
    return (this.state.last?.batch ?? 0) + 1;
  }

  /** Bytes of a part of what is too large for one record. */
  get #partSize(): number {
    return Math.floor(this.#limit / 2);
  }

  get #name(): string {
    return this.#owner.topic + journalSuffix;
  }

  /** The records of a batch in parts that a record holds. */
  #packed(records: readonly PlacedRecord[], slot: Slot): readonly JournalRecord[] {
    const parts: PlacedRecord[][] = [];
    let size = Number.POSITIVE_INFINITY;
    for (const record of records) {
      size += packedSize(record);
      if (size > this.#limit / 2) {
        parts.push([]);
        size = packedSize(record);
      }
      parts.at(-1)?.push(record);
    }
    return parts.map((part, index) => ({
      kind: "rows",
      slot,
      batch: this.#batch,
      part: index,
      records: part,
    }));
  }

  /** The rows of a block in parts that a record holds. */
  #partsOf(source: string, { number, hash, rows }: WrittenBlock): Extract<JournalRecord, { kind: "open" }>[] {
    return cutBytes(Buffer.from(rowsText(rows)), this.#partSize).map((bytes, part) => ({
      kind: "open",
      source,
      number,
      hash,
      part,
      bytes,
    }));
  }

  /** Writes records in as many parts as it takes. */
  async #append(records: readonly JournalRecord[]): Promise<void> {
    const placed = this.#placed(records);
    for (const part of cutRecords(placed, this.#limit)) await this.#send(part);
    this.#note(records);
  }

  /** Writes records together or not at all. */
  async #appendAtOnce(records: readonly JournalRecord[]): Promise<void> {
    const placed = this.#placed(records);
    const size = placed.reduce((sum, record) => sum + sizeOf(record), 0);
    if (size > this.#limit)
      throw new SinkError(
        `The position of topic ${this.#owner.topic} takes ${size} bytes, but a record of ${this.#name} holds ${this.#limit}. Raise its max.message.bytes.`,
        false,
      );
    await this.#send(placed);
    this.#note(records);
  }

  /** Rows that the topic gets are read only when the sink is opened. */
  #note(records: readonly JournalRecord[]): void {
    for (const record of records) if (record.kind !== "rows") this.state.add(record);
  }

  #placed(records: readonly JournalRecord[]): readonly PlacedRecord[] {
    return records.map((record, index) => ({
      ...encodeJournal(record, this.#topic.id, this.#end + BigInt(index)),
      partition: 0,
    }));
  }

  async #send(records: readonly PlacedRecord[]): Promise<void> {
    const offset = (await this.#kafka.send(this.#name, records)).get(0);
    if (offset !== this.#end) throw await this.#otherWriter();
    this.#end += BigInt(records.length);
  }

  async #otherWriter(): Promise<SinkError> {
    const { writer } = (await readJournal(this.#kafka, this.#owner, this.#topic))?.state ?? {};
    const self = this.#self;
    // Late records of an earlier run have moved the end, and no other run has begun since.
    const isSelf = writer !== undefined && self !== undefined && isSameHolder(writer, self);
    return otherRun(this.#owner, isSelf ? undefined : writer);
  }
}

async function created(kafka: Kafka, name: string): Promise<void> {
  await kafka.createTopic(name, 1, settings);
  if (!(await kafka.topic(name))) throw unknownTopic(name);
}

function unknownTopic(name: string): SinkError {
  return new SinkError(`Topic ${name} was created, but the brokers do not know it yet.`, true);
}

/** Nine tenths of the limit of both topics, since sizes are estimates. */
function limitOf(...topics: readonly KafkaTopic[]): number {
  const sizes = topics.map((topic) => Number(topic.settings.get("max.message.bytes") ?? 1_048_588));
  return Math.floor(Math.min(...sizes) * 0.9);
}

function forgotten(source: string, { number, hash, parts }: OpenReference): readonly JournalRecord[] {
  return Array.from({ length: parts }, (_, part) => ({
    ...({ kind: "open", source, number, hash, part } as const),
    bytes: undefined,
  }));
}
