import type { KafkaRecord, PlacedRecord } from "../kafka-client.js";

/** Bytes of all partitions that are sent at once. */
const mostAtOnce = 8 * 1024 * 1024;

/**
 * Cuts records into parts that are sent one after the other, in order.
 * @param limit bytes that a partition takes at once; each record is smaller
 */
export function* cutRecords(
  records: readonly PlacedRecord[],
  limit: number,
): Generator<readonly PlacedRecord[]> {
  let part: PlacedRecord[] = [];
  let total = 0;
  let sizes = new Map<number, number>();
  for (const record of records) {
    const size = sizeOf(record);
    const before = sizes.get(record.partition) ?? 0;
    if (part.length > 0 && (before + size > limit || total + size > mostAtOnce)) {
      yield part;
      [part, total, sizes] = [[], 0, new Map()];
    }
    part.push(record);
    total += size;
    sizes.set(record.partition, (sizes.get(record.partition) ?? 0) + size);
  }
  if (part.length > 0) yield part;
}

/** Bytes that a record takes at most, with its lengths and offsets. */
export function sizeOf({ key, value, headers }: KafkaRecord): number {
  let size = 32 + (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, text] of headers) size += 10 + name.length + Buffer.byteLength(text);
  return size;
}
