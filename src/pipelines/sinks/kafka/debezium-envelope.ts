import type { Operation } from "../../changes/net-changes.js";

/** Who writes an envelope. */
export interface EnvelopeSource {
  readonly pipeline: string;
  readonly sink: string;
}

/** A change of a row, with the row as JSON before and after it. */
export interface EnvelopeChange {
  /** The operation as Debezium calls it. */
  readonly op: DebeziumOperation;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  /** The number of the record. */
  readonly sequence: bigint;
}

/** What happened to a row, as Debezium calls it: it was created, updated or deleted. */
export type DebeziumOperation = "c" | "u" | "d";

/** Debezium's names of operations. */
export const debeziumOperations: Readonly<Record<Operation, DebeziumOperation>> = { i: "c", u: "u", d: "d" };

/** A change as the JSON of Debezium, without its schema. */
export function debeziumEnvelope(
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
