import type { LedgerEntry } from "../../changes/ledger.js";
import type { Changes } from "../../changes/net-changes.js";
import { pickChanges } from "../../changes/pick-changes.js";
import type { RowSchema } from "../../changes/schema.js";
import type { IntegerLimit } from "../../plan/pipeline-plan.js";
import type { LineageGuard } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
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
import { type ChangeFormat, changeRecords, deletionRecords } from "./change-records.js";
import { sizeOf } from "./cut-records.js";
import { Journal } from "./journal.js";
import { changesFromText, parkedIn } from "./journal-aside.js";
import type { RowFormat } from "./row-format.js";
import { isRefusal, lackingRecords, type RecordsPlace, sendAll, sendTakenOnes } from "./send-records.js";

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
  /** Whether refused rows may be parked. The journal has the rows of the last batch then, beside their records. */
  readonly parks?: boolean;
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
    const { ends, unfinished } = await complete(options, journal);
    return new KafkaSink(options, topic, journal, ends, unfinished);
  } catch (error) {
    await kafka.close();
    throw sinkErrorOf(error);
  }
}

/** A topic that is open. */
export class KafkaSink implements Sink {
  readonly positions: Positions;
  /** Rows of the last batch that the topic lacks, if the brokers may refuse them. Their position is written already. */
  readonly unfinished: readonly SinkBatch[];
  readonly parked: readonly ParkedChange[];
  /** What is written next: unfinished rows, or the end of a batch of which the caller has parked the refused rows. */
  #owed: "rows" | "end" | undefined;
  readonly #options: KafkaSinkOptions;
  readonly #format: ChangeFormat;
  readonly #journal: Journal;
  readonly #ends: bigint[];
  /** The number of the next record. */
  #sequence: bigint;

  constructor(
    options: KafkaSinkOptions,
    topic: KafkaTopic,
    journal: Journal,
    ends: readonly bigint[],
    unfinished: readonly SinkBatch[],
  ) {
    this.#options = options;
    const { rows, deletions, envelope } = options;
    this.#format = { rows, partitions: topic.partitions, deletions, envelope };
    this.#journal = journal;
    this.#ends = [...ends];
    this.positions = journal.positions;
    this.parked = parkedIn(journal.state, options.schema.columns);
    this.unfinished = unfinished;
    this.#owed = unfinished.length > 0 ? "rows" : undefined;
    const { last } = journal.state;
    this.#sequence = last ? last.sequence + BigInt(last.count) : 0n;
  }

  async write(batch: SinkBatch): Promise<void> {
    if (this.#owed === "end") return this.#note(standing(batch), []);
    checkIntegers(batch.changes, this.#options.integerLimit);
    const records = changeRecords(batch.changes, this.#format, this.#sequence, batch.isReplay);
    checkSizes(records, this.#journal.limit);
    const before = [...this.#ends];
    const origin = this.#options.parks ? batch : undefined;
    await this.#note(this.#owed ? standing(batch) : batch, records, origin);
    try {
      await sendAll(this.#place, records, this.#ends);
    } catch (error) {
      if (!isRefusal(error)) throw sinkErrorOf(error);
      await this.#sendTakenOnes(batch, records, before);
    }
  }

  /**
   * Writes the records of a noted batch that the brokers do not refuse.
   * @throws RowError if they refuse some: the caller ends the batch with its next call, or the next run tries them again
   */
  async #sendTakenOnes(
    batch: SinkBatch,
    records: readonly PlacedRecord[],
    before: readonly bigint[],
  ): Promise<void> {
    try {
      await this.#journal.keepRefused(this.#options.parks ? undefined : batch);
      const { lacking } = await lackingRecords(this.#place, records, before, this.#ends);
      const refused = await sendTakenOnes(this.#place, lacking, this.#ends);
      const rows = new Map(records.map((record, row) => [record, row]));
      const named = refused.map(({ record, why }) => ({ row: rows.get(record) ?? 0, why }));
      const [first] = named;
      if (!first) return;
      this.#owed = "end";
      throw new RowError(first.why, named);
    } catch (error) {
      throw sinkErrorOf(error);
    }
  }

  /** Deletes keys that no source has. @param gone what the topic holds of each */
  async delete(batch: SinkBatch, gone: readonly Pick<KafkaRecord, "key" | "value">[]): Promise<void> {
    const records = deletionRecords(gone, this.#format, this.#sequence);
    checkSizes(records, this.#journal.limit);
    await this.#note(batch, records);
    try {
      await sendAll(this.#place, records, this.#ends);
    } catch (error) {
      throw sinkErrorOf(error);
    }
  }

  /** Replaces an entry of the ledger. Nothing is written after it. */
  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#journal.correct(source, entry);
  }

  /** Notes a batch in the journal. @param origin what its records are made of, if that is noted as well */
  async #note(batch: SinkBatch, records: readonly PlacedRecord[], origin?: SinkBatch): Promise<void> {
    try {
      const noted = { batch, records, sequence: this.#sequence, ends: [...this.#ends], origin };
      await this.#journal.write({ ...noted, isAgain: this.#owed === "rows" });
    } catch (error) {
      throw sinkErrorOf(error);
    }
    this.#sequence += BigInt(records.length);
    this.#owed = undefined;
  }

  get #place(): RecordsPlace {
    const { kafka, topic } = this.#options;
    return { kafka, topic, limit: this.#journal.limit };
  }

  async close(): Promise<void> {
    await this.#options.kafka.close();
  }
}

/** A batch whose position and ledger are written already. */
function standing(batch: SinkBatch): SinkBatch {
  const { next } = batch.position;
  return { ...batch, from: next, to: next - 1, ledger: undefined };
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
 * @returns the offsets at which the partitions end, and what the caller has to write
 */
async function complete(
  { kafka, topic, schema }: KafkaSinkOptions,
  journal: Journal,
): Promise<{ readonly ends: readonly bigint[]; readonly unfinished: readonly SinkBatch[] }> {
  const { last, pending } = journal.state;
  const ranges = await kafka.ranges(topic);
  const ends = ranges.map(({ next }) => next);
  if (!last) {
    if (ranges.some(({ first, next }) => first < next))
      throw new SinkError(
        `Topic ${topic} holds records that this pipeline has not written. Choose another topic, or delete it and its records.`,
        false,
      );
    return { ends, unfinished: [] };
  }
  if (pending.length === 0) return { ends, unfinished: [] };
  if (pending.length < last.count)
    throw new SinkError(
      `The journal of topic ${topic} has lost records of the last batch, which the topic may lack. Choose another topic.`,
      false,
    );
  const place = { kafka, topic, limit: journal.limit };
  const noted = changesFromText(journal.state.changesText ?? "", schema);
  const { hasRefused } = journal.state;
  const { lacking, hasGap } = await lackingRecords(place, pending, last.ends, ends, hasRefused);
  try {
    // After a gap, readers take the numbers that the records have for repeats.
    if (!hasGap) {
      await sendAll(place, lacking, ends);
      return { ends, unfinished: [] };
    }
  } catch (error) {
    if (!isRefusal(error) || !noted) throw error;
  }
  const position = journal.positions.get(last.source);
  if (!noted || !position || noted.changes.rows.count !== pending.length)
    throw new SinkError(
      `The journal of topic ${topic} has lost rows of the last batch, which the topic may lack. Choose another topic.`,
      false,
    );
  // The caller writes or parks them.
  const left = new Set((await lackingRecords(place, pending, last.ends, ends, hasRefused)).lacking);
  const rows = pending.flatMap((record, row) => (left.has(record) ? [row] : []));
  const changes = pickChanges(noted.changes, rows);
  return { ends, unfinished: [{ ...noted, changes, position, ledger: undefined }] };
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
