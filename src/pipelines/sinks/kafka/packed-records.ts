import type { PlacedRecord } from "../kafka-client.js";

/** Bytes before a record's key: its partition, and the lengths of its key, value and headers; -1 for null. */
const headBytes = 16;

/** Bytes that a record takes when it is packed. */
export function packedSize(record: PlacedRecord): number {
  return headBytes + (record.key?.length ?? 0) + (record.value?.length ?? 0) + headersOf(record).length;
}

/** Packs records into one value. */
export function packRecords(records: readonly PlacedRecord[]): Uint8Array {
  const parts = records.flatMap((record) => {
    const { partition, key, value } = record;
    const headers = headersOf(record);
    const head = Buffer.alloc(headBytes);
    for (const [at, number] of [partition, key?.length ?? -1, value?.length ?? -1, headers.length].entries())
      head.writeInt32LE(number, at * 4);
    return [head, key ?? Buffer.alloc(0), value ?? Buffer.alloc(0), headers];
  });
  return Buffer.concat(parts);
}

/** Reads what `packRecords` wrote. @throws Error for anything else */
export function unpackRecords(bytes: Uint8Array): readonly PlacedRecord[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: PlacedRecord[] = [];
  let at = 0;
  const take = (length: number): Buffer | null => {
    if (length < 0) return null;
    if (at + length > all.length) throw new Error("a record is cut off");
    at += length;
    return all.subarray(at - length, at);
  };
  while (at < all.length) {
    const head = take(headBytes) ?? all;
    const [partition = 0, key = 0, value = 0, headers = 0] = [0, 4, 8, 12].map((offset) =>
      head.readInt32LE(offset),
    );
    const [keyBytes, valueBytes] = [take(key), take(value)];
    const pairs: unknown = JSON.parse(String(take(headers)));
    if (!Array.isArray(pairs)) throw new Error("headers are expected");
    records.push({
      partition,
      key: keyBytes,
      value: valueBytes,
      headers: new Map(pairs as [string, string][]),
    });
  }
  return records;
}

function headersOf({ headers }: PlacedRecord): Buffer {
  return Buffer.from(JSON.stringify([...headers]));
}
