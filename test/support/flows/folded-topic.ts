import type { Kafka } from "../../../src/flows/sinks/kafka-client.js";

/** What a topic holds, as one who reads all of it finds it. */
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
      if (operation === "d") rows.delete(name);
      else rows.set(name, JSON.parse(Buffer.from(value ?? "").toString()));
    }
  }
  return { rows, records, repeats, operations };
}
