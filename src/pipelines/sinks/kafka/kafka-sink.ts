import type { LedgerEntry } from "../../changes/ledger.js";
import type { Changes } from "../../changes/net-changes.js";
import type { RowSchema } from "../../changes/schema.js";
import type { IntegerLimit } from "../../plan/pipeline-plan.js";
import type { LineageGuard } from "../../state/lineage-guard.js";
import type { Positions, SinkBatch } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import {
  type Kafka,
  KafkaError,
  type KafkaRecord,
  type KafkaTopic,
  type PlacedRecord,
} from "../kafka-client.js";
import { type RefusedRow, RowError, type Sink } from "../sink.js";
import { type ChangeFormat, changeRecords, deletionRecords, sequenceHeader } from "./change-records.js";
import { cutRecords, sizeOf } from "./cut-records.js";
import { Journal } from "./journal.js";
import type { RowFormat } from "./row-format.js";

/** Where and how a sink writes. */
export interface KafkaSinkOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  /** Partitions of the topic: for creating it, and as required of an existing one. */
  readonly partitions: number | undefined;
  readonly schema: RowSchema;
  readonly rows: RowFormat;
  readonly deletions: ChangeFormat["deletions"];
  readonly envelope?: ChangeFormat["envelope"];
  /** What data_format calls it; `json` if absent. A topic has one format. */
  readonly format?: string;
  readonly flow: string;
  readonly sink: string;
  readonly lineage?: LineageGuard | undefined;
  /** When the run began, in milliseconds since the Unix epoch. */
  readonly began: number;
  readonly integerLimit?: IntegerLimit | undefined;
}

/** Bytes that the journal adds to a record. */
const journalBytes = 300;

/**
 * Opens a topic as a sink, which is created if it does not exist. A batch is noted in a journal beside the topic before it
 * is written. If its writing was interrupted, the records that the topic lacks are written first.
 * @throws SinkError for a topic that does not fit, or that holds records of something else
 */
export async function openKafkaSink(options: KafkaSinkOptions): Promise<KafkaSink> {
  const { kafka } = options;
  try {
    const topic = await prepareTopic(options);
    const { flow, sink, schema, format = "json", began } = options;
    const owner = { flow, sink, topic: options.topic, columns: schema.columns, format, began };
    const journal = await Journal.open(kafka, owner, topic, options.lineage);
    const ends = await complete(options, journal);
    return new KafkaSink(options, topic, journal, ends);
  } catch (error) {
    await kafka.close();
    throw sinkErrorOf(error);
  }
}

/** A topic that is open. */
export class KafkaSink implements Sink {
  readonly positions: Positions;
  readonly #options: KafkaSinkOptions;
  readonly #format: ChangeFormat;
  readonly #journal: Journal;
  readonly #ends: bigint[];
  /** The number of the next record. */
  #sequence: bigint;

  constructor(options: KafkaSinkOptions, topic: KafkaTopic, journal: Journal, ends: readonly bigint[]) {
    this.#options = options;
    const { rows, deletions, envelope } = options;
    this.#format = { rows, partitions: topic.partitions, deletions, envelope };
    this.#journal = journal;
    this.#ends = [...ends];
    this.positions = journal.positions;
    const { last } = journal.state;
    this.#sequence = last ? last.sequence + BigInt(last.count) : 0n;
  }

  async write(batch: SinkBatch): Promise<void> {
    checkIntegers(batch.changes, this.#options.integerLimit);
    await this.#write(batch, changeRecords(batch.changes, this.#format, this.#sequence, batch.isReplay));
  }

  /** Deletes keys that no source has. @param gone what the topic holds of each */
  async delete(batch: SinkBatch, gone: readonly Pick<KafkaRecord, "key" | "value">[]): Promise<void> {
    await this.#write(batch, deletionRecords(gone, this.#format, this.#sequence));
  }

  /** Replaces an entry of the ledger. Nothing is written after it. */
  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#journal.correct(source, entry);
  }

  async #write(batch: SinkBatch, records: readonly PlacedRecord[]): Promise<void> {
    checkSizes(records, this.#journal.limit);
    const { kafka, topic } = this.#options;
    try {
      await this.#journal.write({ batch, records, sequence: this.#sequence, ends: [...this.#ends] });
      await sendAll(kafka, topic, records, this.#ends, this.#journal.limit);
    } catch (error) {
      throw sinkErrorOf(error);
    }
    this.#sequence += BigInt(records.length);
  }

  async close(): Promise<void> {
    await this.#options.kafka.close();
  }
}

/** The topic, which is created if it does not exist. */
async function prepareTopic({ kafka, topic, partitions }: KafkaSinkOptions): Promise<KafkaTopic> {
  const found = await kafka.topic(topic);
  if (!found) await kafka.createTopic(topic, partitions, new Map());
  const there = found ?? (await kafka.topic(topic));
  if (!there) throw new SinkError(`Topic ${topic} was created, but the brokers do not know it yet.`, true);
  if (partitions !== undefined && partitions !== there.partitions)
    throw new SinkError(
      `Topic ${topic} has ${there.partitions} partitions, not ${partitions}. Set topic_partitions: ${there.partitions}, or choose another topic.`,
      false,
    );
  return there;
}

/**
 * Writes what the topic lacks of the last batch.
 * @returns the offsets at which the partitions end
 */
async function complete({ kafka, topic }: KafkaSinkOptions, journal: Journal): Promise<readonly bigint[]> {
  const { last, pending } = journal.state;
  const ranges = await kafka.ranges(topic);
  const ends = ranges.map(({ next }) => next);
  if (!last) {
    if (ranges.some(({ first, next }) => first < next))
      throw new SinkError(
        `Topic ${topic} holds records that this pipeline has not written. Choose another topic, or delete it and its records.`,
        false,
      );
    return ends;
  }
  if (pending.length === 0) return ends;
  if (pending.length < last.count)
    throw new SinkError(
      `The journal of topic ${topic} has lost records of the last batch, which the topic may lack. Choose another topic.`,
      false,
    );
  const lacking: PlacedRecord[] = [];
  for (const [partition, { first, next }] of ranges.entries()) {
    const from = last.ends[partition] ?? 0n;
    const highest = await highestSequence(kafka, topic, partition, {
      first: from > first ? from : first,
      next,
    });
    lacking.push(
      ...pending.filter((record) => record.partition === partition && sequenceOf(record) > highest),
    );
  }
  await sendAll(kafka, topic, lacking, ends, journal.limit);
  return ends;
}

/** The highest number of a record in a part of a partition; -1 if there is none. */
async function highestSequence(
  kafka: Kafka,
  topic: string,
  partition: number,
  range: { readonly first: bigint; readonly next: bigint },
): Promise<bigint> {
  let highest = -1n;
  for await (const record of kafka.read(topic, partition, range)) {
    const sequence = sequenceOf(record);
    if (sequence > highest) highest = sequence;
  }
  return highest;
}

/** The number of a record; -1 for a foreign record. */
export function sequenceOf({ headers }: { readonly headers: ReadonlyMap<string, string> }): bigint {
  const text = headers.get(sequenceHeader) ?? "";
  return /^\d{1,30}$/.test(text) ? BigInt(text) : -1n;
}

/**
 * Writes records, one request after the other, and makes sure that all of them have offsets of their own: a client may
 * acknowledge what it has lost.
 * @param ends the offsets at which the partitions end, or before; changed to what they are afterwards
 */
async function sendAll(
  kafka: Kafka,
  topic: string,
  records: readonly PlacedRecord[],
  ends: bigint[],
  limit: number,
): Promise<void> {
  for (const part of cutRecords(records, limit)) {
    const offsets = await kafka.send(topic, part);
    for (const [partition, count] of countByPartition(part)) {
      const offset = offsets.get(partition);
      if (offset === undefined || offset < (ends[partition] ?? 0n))
        throw new SinkError(
          `Kafka acknowledged ${count} records of partition ${partition} of topic ${topic}, but gave them no new offsets. They are written again.`,
          true,
        );
      ends[partition] = offset + BigInt(count);
    }
  }
}

function countByPartition(records: readonly PlacedRecord[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { partition } of records) counts.set(partition, (counts.get(partition) ?? 0) + 1);
  return counts;
}

/** Refuses rows that are too large before anything of their batch is written. */
function checkSizes(records: readonly PlacedRecord[], limit: number): void {
  const large = records.flatMap((record, row) => (sizeOf(record) + journalBytes > limit ? [row] : []));
  if (large.length === 0) return;
  throw new RowError(
    `A record of the topic and its journal holds ${limit} bytes, and the row takes more. Raise max.message.bytes of both, or leave out columns.`,
    large,
  );
}

/** Refuses integers that readers of the topic cannot hold. Rows that are deleted may have them: their records are empty. */
function checkIntegers({ rows, operations, schema }: Changes, limit: IntegerLimit | undefined): void {
  if (!limit) return;
  const refused: RefusedRow[] = [];
  for (const [index, { name, type }] of schema.columns.entries()) {
    if (type !== "DECIMAL" || !limit.columns.includes(name)) continue;
    for (const [row, value] of (rows.columns[index] ?? []).entries()) {
      const digits = String(value ?? "").replace("-", "").length;
      if (digits > limit.digits && operations[row] !== "d")
        refused.push({ row, column: name, why: `${value} has ${digits} digits, and ${limit.why}` });
    }
  }
  if (refused.length === 0) return;
  const { advice } = limit;
  throw new RowError("An integer is too large for what reads the topic.", refused, { advice });
}

/** An error of Kafka as that of a sink; other errors as they are. */
export function sinkErrorOf(error: unknown): unknown {
  if (!(error instanceof KafkaError)) return error;
  return new SinkError(error.message, error.isTemporary, { cause: error });
}
