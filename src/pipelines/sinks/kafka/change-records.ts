import { invariant } from "../../../base/invariant.js";
import type { Changes, Operation } from "../../changes/net-changes.js";
import { noRows } from "../../changes/rows.js";
import type { PlacedRecord } from "../kafka-client.js";
import type { RowFormat } from "./row-format.js";

const multiplier = 0x5bd1e995;

/** Who writes an envelope. */
interface EnvelopeSource {
  readonly pipeline: string;
  readonly sink: string;
}

/** A change of a row, with the row as JSON before and after it. */
interface EnvelopeChange {
  /** The operation as Debezium calls it. */
  readonly op: DebeziumOperation;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  /** The number of the record. */
  readonly sequence: bigint;
}

/** What happened to a row, as Debezium calls it: it was created, updated or deleted. */
type DebeziumOperation = "c" | "u" | "d";

/** Debezium's names of operations. */
const debeziumOperations: Readonly<Record<Operation, DebeziumOperation>> = { i: "c", u: "u", d: "d" };

/** The header with the number of a record. Numbers rise, and a record that comes again has the same. */
export const sequenceHeader = "graphloom.sequence";
/** The header with what happened to a row, as Debezium calls it. */
export const operationHeader = "dbz.op";
/** The header of records that a replay has written. */
export const replayHeader = "graphloom.replay";

/** How changes are written. */
export interface ChangeFormat {
  readonly rows: RowFormat;
  readonly partitions: number;
  /** What a deletion holds: the row that is gone, or nothing. */
  readonly deletions: "row" | "tombstone";
  /** Writes Debezium's envelopes, with the rows before and after each change. */
  readonly envelope?: EnvelopeSource | undefined;
}

/**
 * The records of changes, in order: one for each.
 * @param sequence the number of the first
 * @param isReplay whether the rows were written before
 */
export function changeRecords(
  { operations, rows, replaced, schema }: Changes,
  { rows: format, partitions, deletions, envelope }: ChangeFormat,
  sequence: bigint,
  isReplay = false,
): readonly PlacedRecord[] {
  const old = replaced ?? noRows(schema.columns.length);
  let updates = 0;
  const nextReplaced = (): Uint8Array => {
    invariant(updates < old.count, "what updates replace is known");
    updates += 1;
    return format.value(old, updates - 1);
  };
  return operations.map((operation, row) => {
    const key = format.key(rows, row);
    const written = format.value(rows, row);
    const op = debeziumOperations[operation];
    const number = sequence + BigInt(row);
    const isGone = operation === "d";
    const value = (): Uint8Array | null => {
      if (!envelope) return isGone && deletions === "tombstone" ? null : written;
      const before = operation === "u" ? nextReplaced() : isGone ? written : null;
      return debeziumEnvelope({ op, before, after: isGone ? null : written, sequence: number }, envelope);
    };
    return {
      key,
      value: value(),
      headers: new Map([
        [operationHeader, op],
        [sequenceHeader, String(number)],
        ...(isReplay ? ([[replayHeader, "true"]] as const) : []),
      ]),
      // A row without a key and its deletion meet as well.
      partition: partitionOf(key ?? written, partitions),
    };
  });
}

/** The records that delete keys. @param gone what the topic holds of each @param sequence the number of the first */
export function deletionRecords(
  gone: readonly Pick<PlacedRecord, "key" | "value">[],
  { partitions, deletions }: ChangeFormat,
  sequence: bigint,
): readonly PlacedRecord[] {
  return gone.map(({ key, value }, index) => ({
    key,
    value: deletions === "tombstone" ? null : value,
    headers: new Map([
      [operationHeader, debeziumOperations.d],
      [sequenceHeader, String(sequence + BigInt(index))],
    ]),
    partition: partitionOf(key ?? new Uint8Array(), partitions),
  }));
}

/** A change as the JSON of Debezium, without its schema. */
function debeziumEnvelope(
  { op, before, after, sequence }: EnvelopeChange,
  { pipeline, sink }: EnvelopeSource,
): Uint8Array {
  const source = { connector: "graphloom", name: pipeline, table: sink, sequence: String(sequence) };
  return Buffer.concat([
    Buffer.from('{"before":'),
    before ?? Buffer.from("null"),
    Buffer.from(',"after":'),
    after ?? Buffer.from("null"),
    Buffer.from(`,"source":${JSON.stringify(source)},"op":"${op}"}`),
  ]);
}

/**
 * The partition of a key, as the clients of Kafka in Java choose it, so that records with the same key meet in topics with
 * as many partitions.
 */
export function partitionOf(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** MurmurHash 2 with the seed that Kafka uses. @returns 32 bits, signed */
function murmur2(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length & ~3;
  let hash = 0x9747b28c ^ bytes.length;
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(view.getInt32(at, true), multiplier);
    word = Math.imul(word ^ (word >>> 24), multiplier);
    hash = Math.imul(hash, multiplier) ^ word;
  }
  if (whole < bytes.length) {
    for (let at = bytes.length - 1; at >= whole; at -= 1) hash ^= (bytes[at] ?? 0) << (8 * (at - whole));
    hash = Math.imul(hash, multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}
