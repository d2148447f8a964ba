import { expect } from "vitest";
import type { Kafka } from "../../../src/pipelines/sinks/kafka-client.js";

/** What a reader of a whole topic finds. */
export interface FoldedTopic {
  /** The last value of each key that was not deleted, by the key's text. */
  readonly rows: ReadonlyMap<string, unknown>;
  /** Records in the topic. */
  readonly records: number;
  /** Records whose number an earlier one of their partition has, or a higher one. */
  readonly repeats: number;
  /** Names of operations, with how often they are there. */
  readonly operations: ReadonlyMap<string, number>;
}

/** Reads a topic from its beginning to its end, and drops repeats by their number. */
export async function foldTopic(kafka: Kafka, topic: string): Promise<FoldedTopic> {
  const rows = new Map<string, unknown>();
  const operations = new Map<string, number>();
  let [records, repeats] = [0, 0];
  for (const [partition, range] of (await kafka.ranges(topic)).entries()) {
    let last = -1n;
    for await (const { key, value, headers } of kafka.read(topic, partition, range)) {
      records += 1;
      const sequence = BigInt(headers.get("graphloom.sequence") ?? "-1");
      if (sequence <= last) repeats += 1;
      if (sequence <= last) continue;
      last = sequence;
      const operation = headers.get("dbz.op") ?? "";
      operations.set(operation, (operations.get(operation) ?? 0) + 1);
      const name = Buffer.from(key ?? "").toString();
      const content = JSON.parse(Buffer.from(value ?? "").toString());
      if (isEnvelope(content)) expectToFit(content, rows.get(name) ?? null, operation);
      if (operation === "d") rows.delete(name);
      else rows.set(name, isEnvelope(content) ? content.after : content);
    }
  }
  return { rows, records, repeats, operations };
}

interface Envelope {
  readonly before: unknown;
  readonly after: unknown;
  readonly op: string;
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === "object" && value !== null && "before" in value && "after" in value;
}

/** A reader that retracts old rows, as Flink does, needs the earlier row in every envelope. */
function expectToFit({ before, after, op }: Envelope, row: unknown, operation: string): void {
  const whatIs = (value: unknown): string => (value === null ? "no row" : "a row");
  const expected =
    operation === "c" ? ["no row", "a row"] : ["a row", operation === "d" ? "no row" : "a row"];
  expect([op, whatIs(before), whatIs(after)]).toEqual([operation, ...expected]);
  expect(before).toEqual(row);
}
