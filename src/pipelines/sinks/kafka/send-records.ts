import { SinkError } from "../../state/sink-error.js";
import { type Kafka, KafkaError, type PlacedRecord } from "../kafka-client.js";
import { refusedInHalves } from "../refused-halves.js";
import { sequenceHeader } from "./change-records.js";
import { cutRecords } from "./cut-records.js";

/** The protocol's names of refusals that a record causes. */
const ofRecords: ReadonlySet<string | undefined> = new Set([
  "MESSAGE_TOO_LARGE",
  "RECORD_LIST_TOO_LARGE",
  "INVALID_RECORD",
]);

/** How many refused records to find. With more, nothing is parked, and the sink halts. */
const mostRefused = 10_000;

/** Whether brokers refuse records because of what they are. */
export function isRefusal(error: unknown): error is KafkaError {
  return error instanceof KafkaError && ofRecords.has(error.code);
}

/** Where records are written. */
export interface RecordsPlace {
  readonly kafka: Kafka;
  readonly topic: string;
  /** Bytes that a partition takes at once. */
  readonly limit: number;
}

/**
 * Writes records, one request after the other, and makes sure that all of them have offsets of their own: a client may
 * acknowledge what it has lost.
 * @param ends the offsets at which the partitions end, or before; changed to what they are afterwards
 */
export async function sendAll(
  place: RecordsPlace,
  records: readonly PlacedRecord[],
  ends: bigint[],
): Promise<void> {
  for (const part of cutRecords(records, place.limit)) await sendPart(place, part, ends);
}

async function sendPart(
  { kafka, topic }: RecordsPlace,
  part: readonly PlacedRecord[],
  ends: bigint[],
): Promise<void> {
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

/** A record that brokers refuse. */
export interface RefusedRecord {
  readonly record: PlacedRecord;
  readonly why: string;
}

/**
 * Writes records that a topic lacks, some of which its brokers refuse. They are sent in halves, until it is clear which
 * records it is. The others of a partition stay in order.
 * @returns the refused ones; some records are not sent if there are too many
 */
export async function sendTakenOnes(
  place: RecordsPlace,
  records: readonly PlacedRecord[],
  ends: bigint[],
): Promise<readonly RefusedRecord[]> {
  const refused: RefusedRecord[] = [];
  for (const partition of countByPartition(records).keys()) {
    const own = records.filter((record) => record.partition === partition);
    // A request for one partition is taken as a whole, or not at all.
    const send = (part: readonly PlacedRecord[]): Promise<void> => sendPart(place, part, ends);
    const parts = [...cutRecords(own, place.limit)];
    const found = await refusedInHalves(parts, send, isRefusal, mostRefused + 1 - refused.length);
    refused.push(...found.map(({ item, why }) => ({ record: item, why })));
  }
  return refused;
}

/**
 * The records that a topic lacks. Records of a partition were written in order, and the topic may have dropped the first ones
 * since. So all are there up to the last one that is found, unless brokers have refused some.
 * @param from offsets by partition from which on they are
 * @param ends filled with the offsets at which the partitions end
 * @param hasRefused whether brokers have refused some
 * @returns the records, and whether a later one of the same partition is there
 */
export async function lackingRecords(
  { kafka, topic }: Pick<RecordsPlace, "kafka" | "topic">,
  records: readonly PlacedRecord[],
  from: readonly bigint[],
  ends: bigint[],
  hasRefused = false,
): Promise<{ readonly lacking: readonly PlacedRecord[]; readonly hasGap: boolean }> {
  const lacking: PlacedRecord[] = [];
  let hasGap = false;
  for (const [partition, { first, next }] of (await kafka.ranges(topic)).entries()) {
    ends[partition] = next;
    const own = records.filter((record) => record.partition === partition);
    if (own.length === 0) continue;
    const begin = from[partition] ?? 0n;
    const written = new Set<bigint>();
    for await (const record of kafka.read(topic, partition, { first: begin > first ? begin : first, next }))
      written.add(sequenceOf(record));
    const last = own.findLastIndex((record) => written.has(sequenceOf(record)));
    const gap = hasRefused ? own.slice(0, last + 1).filter((record) => !written.has(sequenceOf(record))) : [];
    if (gap.length > 0) hasGap = true;
    lacking.push(...gap, ...own.slice(last + 1));
  }
  return { lacking, hasGap };
}

/** The number of a record; -1 for a foreign record. */
export function sequenceOf({ headers }: { readonly headers: ReadonlyMap<string, string> }): bigint {
  const text = headers.get(sequenceHeader) ?? "";
  return /^\d{1,30}$/.test(text) ? BigInt(text) : -1n;
}

function countByPartition(records: readonly PlacedRecord[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { partition } of records) counts.set(partition, (counts.get(partition) ?? 0) + 1);
  return counts;
}
