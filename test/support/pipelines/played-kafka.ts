import {
  type Kafka,
  KafkaError,
  type KafkaTopic,
  type PlacedRecord,
  type ReadRecord,
} from "../../../src/pipelines/sinks/kafka-client.js";

/** A topic as JSON keeps it. Bytes are texts of one character each. */
interface KeptTopic {
  readonly id: string;
  readonly settings: Readonly<Record<string, string>>;
  /** The records of each partition, in order. */
  readonly partitions: readonly (readonly KeptRecord[])[];
}

interface KeptRecord {
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

interface PlayedTopic extends Omit<KafkaTopic, "partitions"> {
  readonly partitions: ReadRecord[][];
}

/** A cluster of Kafka in memory, which compacts nothing. */
export class PlayedKafka implements Kafka {
  readonly #topics = new Map<string, PlayedTopic>();
  /** @param text the topics by their names, as JSON */
  static from(text: string): PlayedKafka {
    const kafka = new PlayedKafka();
    const topics: Readonly<Record<string, KeptTopic>> = JSON.parse(text);
    for (const [name, { id, settings, partitions }] of Object.entries(topics))
      kafka.#topics.set(name, {
        id,
        settings: new Map(Object.entries(settings)),
        partitions: partitions.map((records) =>
          records.map(({ key, value, headers }, index) => ({
            key: bytesOf(key),
            value: bytesOf(value),
            headers: new Map(Object.entries(headers)),
            offset: BigInt(index),
          })),
        ),
      });
    return kafka;
  }

  async topic(name: string): Promise<KafkaTopic | undefined> {
    const topic = this.#topics.get(name);
    return topic && { ...topic, partitions: topic.partitions.length };
  }

  async createTopic(
    name: string,
    partitions = 1,
    settings: ReadonlyMap<string, string> = new Map(),
  ): Promise<void> {
    const empty = Array.from({ length: partitions }, (): ReadRecord[] => []);
    this.#topics.set(name, { id: `id of ${name}`, partitions: empty, settings });
  }

  async deleteTopics(prefix: string): Promise<void> {
    for (const name of this.#topics.keys()) if (name.startsWith(prefix)) this.#topics.delete(name);
  }

  async ranges(name: string): Promise<readonly { readonly first: bigint; readonly next: bigint }[]> {
    return this.#partitions(name).map(({ length }) => ({ first: 0n, next: BigInt(length) }));
  }

  async send(name: string, records: readonly PlacedRecord[]): Promise<ReadonlyMap<number, bigint>> {
    const partitions = this.#partitions(name);
    const offsets = new Map<number, bigint>();
    for (const { partition, ...record } of records) {
      const held = partitions[partition] ?? [];
      const offset = BigInt(held.length);
      held.push({ ...record, offset });
      if (!offsets.has(partition)) offsets.set(partition, offset);
    }
    return offsets;
  }

  async committed(
    name: string,
    from: ReadonlyMap<number, bigint>,
  ): Promise<Awaited<ReturnType<Kafka["committed"]>>> {
    const topic = this.#topics.get(name);
    if (!topic) return undefined;
    const records = [...from].map(([partition, first]) => {
      const held = topic.partitions[partition] ?? [];
      if (first > held.length) throw new KafkaError("there is no such offset", false, "OFFSET_OUT_OF_RANGE");
      const read = held.slice(Number(first)).map((record) => ({ ...record, timestamp: 0n }));
      return [partition, { records: read, next: BigInt(held.length) }] as const;
    });
    return { id: topic.id, partitions: topic.partitions.length, records: new Map(records) };
  }

  async *read(
    name: string,
    partition: number,
    { first, next }: { readonly first: bigint; readonly next: bigint },
  ): AsyncIterable<ReadRecord> {
    yield* (this.#partitions(name)[partition] ?? []).slice(Number(first), Number(next));
  }

  async close(): Promise<void> {}

  #partitions(name: string): ReadRecord[][] {
    const topic = this.#topics.get(name);
    if (!topic) throw new KafkaError(`There is no topic ${name}`, false);
    return topic.partitions;
  }
}

function bytesOf(text: string | null): Uint8Array | null {
  return text === null ? null : Buffer.from(text, "latin1");
}
