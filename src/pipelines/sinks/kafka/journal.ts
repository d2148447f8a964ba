import { isSameHolder, type LockHolder, thisProcess } from "../../../base/lock-holder.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import { rowsText } from "../../changes/rows-text.js";
import type { RowColumn } from "../../changes/schema.js";
import { keptBlock, type SourceEnd, sourceChange } from "../../state/kept-records.js";
import type { LineageGuard } from "../../state/lineage-guard.js";
import { otherRun } from "../../state/other-run.js";
import type { Positions, SinkBatch, WrittenBlock } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import type { Kafka, KafkaTopic, PlacedRecord } from "../kafka-client.js";
import { cutRecords, sizeOf } from "./cut-records.js";
import {
  decodeJournal,
  encodeJournal,
  type JournalHead,
  type JournalRecord,
  type OpenReference,
} from "./journal-records.js";
import { JournalState } from "./journal-state.js";
import { packedSize } from "./packed-records.js";

/** Whose journal it is. */
export interface JournalOwner {
  readonly flow: string;
  readonly sink: string;
  readonly topic: string;
  /** The columns of the sink's rows. */
  readonly columns: readonly RowColumn[];
  /** What data_format calls the format of the topic's records. */
  readonly format: string;
  /** When this run began, in milliseconds since the Unix epoch; absent for an audit. */
  readonly began?: number;
}

/** What is added to the name of a topic for its journal. */
export const journalSuffix = ".graphloom";

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
  async write({ batch, records, sequence, ends }: JournalBatch): Promise<void> {
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
    const rows = this.#packed(records);
    await this.#append([...rows, ...added.flat()]);
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
      ends,
    };
    await this.#appendAtOnce([
      ...ledger.drop.map((from) => ({ kind: "ledger", source, from, entry: undefined }) as const),
      ...ledger.put.map((entry) => ({ kind: "ledger", source, from: entry.from, entry }) as const),
      { kind: "head", head },
      ...kept
        .filter(({ number }) => blocks.gone.includes(number))
        .flatMap((block) => forgotten(source, block)),
    ]);
    this.#ends.set(source, end);
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

  get #name(): string {
    return this.#owner.topic + journalSuffix;
  }

  /** The records of a batch in parts that a record holds. */
  #packed(records: readonly PlacedRecord[]): readonly JournalRecord[] {
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
    return parts.map((part, index) => ({ kind: "rows", batch: this.#batch, part: index, records: part }));
  }

  /** The rows of a block in parts that a record holds. */
  #partsOf(source: string, { number, hash, rows }: WrittenBlock): Extract<JournalRecord, { kind: "open" }>[] {
    const bytes = Buffer.from(rowsText(rows));
    const size = Math.floor(this.#limit / 2);
    return Array.from({ length: Math.ceil(bytes.length / size) }, (_, part) => ({
      kind: "open",
      source,
      number,
      hash,
      part,
      bytes: bytes.subarray(part * size, (part + 1) * size),
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

/** What a journal says, and where it ends. */
export interface ReadJournal {
  readonly state: JournalState;
  readonly found: KafkaTopic;
  readonly end: bigint;
}

/**
 * Reads the journal of a topic, without writing anything.
 * @returns `undefined` if there is none
 * @throws SinkError for the journal of another sink, and for one that cannot be read; KafkaError
 */
export async function readJournal(
  kafka: Kafka,
  owner: JournalOwner,
  topic: KafkaTopic,
): Promise<ReadJournal | undefined> {
  const name = owner.topic + journalSuffix;
  const found = await kafka.topic(name);
  if (!found) return undefined;
  const [range = { first: 0n, next: 0n }] = await kafka.ranges(name);
  const state = new JournalState();
  for await (const record of kafka.read(name, 0, range)) {
    const read = readRecord(() => decodeJournal(record, topic.id), name, record.offset);
    if (read) state.add(read);
  }
  checkOwner(state, owner, topic);
  return { state, found, end: range.next };
}

/** Nine tenths of the limit of both topics, since sizes are estimates. */
function limitOf(...topics: readonly KafkaTopic[]): number {
  const sizes = topics.map((topic) => Number(topic.settings.get("max.message.bytes") ?? 1_048_588));
  return Math.floor(Math.min(...sizes) * 0.9);
}

function readRecord<T>(read: () => T, topic: string, offset: bigint): T {
  try {
    return read();
  } catch (error) {
    throw new SinkError(
      `Topic ${topic} holds a record at offset ${offset} that this version has not written. Use the version that did, or another topic.`,
      false,
      { cause: error },
    );
  }
}

/** One topic is written by one sink, and keeps its number of partitions. */
function checkOwner(
  state: JournalState,
  { flow, sink, topic, format }: JournalOwner,
  { partitions }: KafkaTopic,
): void {
  for (const head of state.heads.values()) {
    if (head.flow !== flow || head.sink !== sink)
      throw new SinkError(
        `Topic ${topic} is written by sink ${head.sink} of pipeline ${head.flow}. Choose another topic.`,
        false,
      );
    if (head.format !== format)
      throw new SinkError(
        `Topic ${topic} holds records as ${head.format}. Set data_format: ${head.format}, or choose another topic.`,
        false,
      );
    if (head.partitions !== partitions)
      throw new SinkError(
        `Topic ${topic} has ${partitions} partitions, but had ${head.partitions} when it was written, so keys would change their partition. Choose another topic.`,
        false,
      );
  }
}

/** How far each source has been written. @throws SinkError if open blocks have other columns */
export function positionsOf(state: JournalState, columns: readonly RowColumn[], topic: string): Positions {
  return new Map(
    [...state.heads].map(([source, { next, open }]) => [
      source,
      { next, open: open.map((block) => writtenBlock(state, source, block, columns, topic)) },
    ]),
  );
}

function writtenBlock(
  state: JournalState,
  source: string,
  block: OpenReference,
  columns: readonly RowColumn[],
  topic: string,
): WrittenBlock {
  const { number, hash } = block;
  const text = Buffer.from(state.openRows(source, block) ?? []).toString();
  const place = { name: `Topic ${topic}${journalSuffix}`, advice: "Choose another topic" };
  return keptBlock(source, { number, hash, text }, columns, place);
}

function forgotten(source: string, { number, hash, parts }: OpenReference): readonly JournalRecord[] {
  return Array.from({ length: parts }, (_, part) => ({
    ...({ kind: "open", source, number, hash, part } as const),
    bytes: undefined,
  }));
}
