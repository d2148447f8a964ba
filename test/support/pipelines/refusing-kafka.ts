import { type Kafka, KafkaError, type PlacedRecord } from "../../../src/pipelines/sinks/kafka-client.js";
import type { LawRow } from "./law-pipeline.js";

/** A client whose brokers refuse some records. What they take of the same request is there, as of each partition. */
export function refusingKafka(kafka: Kafka, isRefused: (record: PlacedRecord) => boolean): Kafka {
  const send = async (
    topic: string,
    records: readonly PlacedRecord[],
  ): Promise<ReadonlyMap<number, bigint>> => {
    const refused = topic.endsWith(".graphloom") ? [] : records.filter(isRefused);
    const bad = new Set(refused.map(({ partition }) => partition));
    if (bad.size === 0) return kafka.send(topic, records);
    const taken = records.filter(({ partition }) => !bad.has(partition));
    if (taken.length > 0) await kafka.send(topic, taken);
    throw new KafkaError("Kafka refuses it with INVALID_RECORD: no.", false, "INVALID_RECORD");
  };
  return new Proxy(kafka, {
    get: (target, name) => {
      if (name === "send") return send;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The records of the law that its refusing sinks do not take. */
export function isUnlawful({ value }: PlacedRecord): boolean {
  const { amount } = JSON.parse(Buffer.from(value ?? "{}").toString()) as Partial<LawRow>;
  return BigInt(amount ?? 0) % 7n === 3n;
}
