import type { Kafka } from "../../sinks/kafka-client.js";
import type { FetchResponse, RecordsBatch } from "./kafka-module.js";

type Answer = FetchResponse["responses"][number]["partitions"][number];
type Committed =
  NonNullable<Awaited<ReturnType<Kafka["committed"]>>>["records"] extends ReadonlyMap<number, infer T>
    ? T
    : never;

/** Bits of a batch's attributes: its records are of a transaction; it marks the end of one, and has no records. */
const isTransactional = 0b1_0000;
export const isControl = 0b10_0000;
/** The brokers have set the time when they appended it, instead of the writer. */
const isAppendTime = 0b1000;

/**
 * The committed records of a partition, from an answer that may have aborted ones.
 * @param from the offset that was asked for; batches may begin before it
 */
export function committedRecords({ records = [], abortedTransactions }: Answer, from: bigint): Committed {
  const begun = [...(abortedTransactions ?? [])].sort((one, other) =>
    Number(one.firstOffset - other.firstOffset),
  );
  /** Producers whose transaction at this place was aborted. */
  const aborting = new Set<bigint>();
  let next = from;
  const kept = records.flatMap((batch) => {
    const last = batch.firstOffset + BigInt(batch.lastOffsetDelta);
    if (last >= next) next = last + 1n;
    for (let first = begun[0]; first && first.firstOffset <= last; first = begun[0]) {
      aborting.add(first.producerId);
      begun.shift();
    }
    if ((batch.attributes & isControl) !== 0) {
      aborting.delete(batch.producerId);
      return [];
    }
    if ((batch.attributes & isTransactional) !== 0 && aborting.has(batch.producerId)) return [];
    return recordsOf(batch).filter(({ offset }) => offset >= from);
  });
  return { records: kept, next };
}

function recordsOf({ firstOffset, firstTimestamp, maxTimestamp, attributes, records }: RecordsBatch) {
  return records.map(({ offsetDelta, timestampDelta, key, value }) => ({
    offset: firstOffset + BigInt(offsetDelta),
    timestamp: (attributes & isAppendTime) === 0 ? firstTimestamp + timestampDelta : maxTimestamp,
    key,
    value,
  }));
}
