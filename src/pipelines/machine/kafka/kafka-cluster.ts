import { setTimeout as sleep } from "node:timers/promises";
import { groupBy } from "../../../base/group-by.js";
import {
  type Kafka,
  KafkaError,
  type KafkaTopic,
  type PartitionRange,
  type PlacedRecord,
  type ReadRecord,
} from "../../sinks/kafka-client.js";
import { committedRecords, isControl } from "./committed-records.js";
import { isUnknownTopic, kafkaErrorOf } from "./kafka-errors.js";
import type {
  AdminClient,
  ClientOptions,
  ConsumerClient,
  KafkaModule,
  ProducerClient,
  RecordsBatch,
} from "./kafka-module.js";
import { limitAnswers, takeRefusal } from "./limit-answers.js";
import { ExpandedError } from "./limit-decompression.js";

/** Bytes to request from a partition at once. A larger batch of records arrives whole. */
const mostBytes = 4 * 1024 * 1024;
/** Milliseconds that a broker may wait for records that are on their way to it. */
const longestWait = 500;
/** Bytes to request from a partition if several are read, so that each gets its turn. */
const mostPartBytes = 1024 * 1024;
/** How many requests in a row may bring no records that a broker has. */
const mostFruitless = 120;
const topicResource = 2;
const [latest, earliest] = [-1n, -2n];
const allReplicas = -1;
/**
 * Asks for committed records. The client would leave out aborted ones itself, but it does not know those whose transaction
 * ends after the answer. It looks for the number 1, and this one is written as 1 but is none.
 */
const unfiltered = Object(1) as number;

/** A Kafka cluster through `@platformatic/kafka`. */
export class KafkaCluster implements Kafka {
  readonly #admin: AdminClient;
  readonly #consumer: ConsumerClient;
  readonly #producer: ProducerClient;
  /** The brokers, for messages, and the most milliseconds for an answer. */
  readonly #places: string;
  readonly #longest: number;
  #turn = 0;
  #narrow = 0;

  constructor({ Admin, Consumer, Producer }: KafkaModule, options: ClientOptions) {
    limitAnswers();
    this.#places = options.bootstrapBrokers.map(({ host, port }) => `${host}:${port}`).join(", ");
    this.#longest = options.requestTimeout;
    this.#admin = new Admin(options);
    // It joins no group: records are fetched by their offsets.
    this.#consumer = new Consumer({ ...options, groupId: "graphloom" });
    this.#producer = new Producer({ ...options, idempotent: false });
  }

  async topic(name: string): Promise<KafkaTopic | undefined> {
    try {
      const found = await this.#metadata(name);
      const described = await this.#admin.describeConfigs({
        resources: [{ resourceType: topicResource, resourceName: name }],
      });
      const settings = described.flatMap(({ configs }) =>
        configs.map((config) => [config.name, config.value ?? ""] as const),
      );
      return { id: found.id, partitions: found.partitions.length, settings: new Map(settings) };
    } catch (error) {
      if (isUnknownTopic(error)) return undefined;
      throw this.#errorOf(error);
    }
  }

  async createTopic(
    name: string,
    partitions: number | undefined,
    settings: ReadonlyMap<string, string>,
  ): Promise<void> {
    try {
      await this.#admin.createTopics({
        topics: [name],
        partitions: partitions ?? -1,
        replicas: -1,
        configs: [...settings].map(([setting, value]) => ({ name: setting, value })),
      });
    } catch (error) {
      const known = this.#errorOf(error);
      if (known.code !== "TOPIC_ALREADY_EXISTS") throw known;
    }
    // The brokers get the topic one by one.
    for (let attempt = 1; attempt <= 100 && !(await this.#isReady(name)); attempt += 1)
      await sleep(Math.min(attempt * 10, 200));
  }

  async deleteTopics(prefix: string): Promise<void> {
    try {
      const topics = (await this.#admin.listTopics({})).filter((name) => name.startsWith(prefix));
      if (topics.length > 0) await this.#admin.deleteTopics({ topics });
    } catch (error) {
      if (!isUnknownTopic(error)) throw this.#errorOf(error);
    }
  }

  async ranges(topic: string): Promise<readonly PartitionRange[]> {
    try {
      const [first = [], next = []] = [
        (await this.#consumer.listOffsets({ topics: [topic], timestamp: earliest })).get(topic),
        (await this.#consumer.listOffsets({ topics: [topic], timestamp: latest })).get(topic),
      ];
      return next.map((offset, partition) => ({ first: first[partition] ?? 0n, next: offset }));
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  async send(topic: string, records: readonly PlacedRecord[]): Promise<ReadonlyMap<number, bigint>> {
    try {
      const { offsets = [] } = await this.#producer.send({
        acks: allReplicas,
        repeatOnStaleMetadata: false,
        messages: records.map(({ partition, key, value, headers }) => ({
          topic,
          partition,
          ...(key && { key: bufferOf(key) }),
          ...(value && { value: bufferOf(value) }),
          headers: new Map([...headers].map(([name, text]) => [Buffer.from(name), Buffer.from(text)])),
        })),
      });
      return new Map(offsets.map(({ partition, offset }) => [partition, offset]));
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  async *read(topic: string, partition: number, { first, next }: PartitionRange): AsyncGenerator<ReadRecord> {
    let offset = first;
    for (let fruitless = 0; offset < next; fruitless += 1) {
      if (fruitless > mostFruitless)
        throw new KafkaError(
          `Kafka gives no records of topic ${topic} from offset ${offset}, although it says that it has them.`,
          true,
        );
      for (const batch of await this.#fetch(topic, partition, offset)) {
        const end = batch.firstOffset + BigInt(batch.lastOffsetDelta) + 1n;
        if ((batch.attributes & isControl) === 0)
          for (const record of recordsOf(batch))
            if (record.offset >= offset && record.offset < next) yield record;
        if (end > offset) [offset, fruitless] = [end, 0];
      }
    }
  }

  async committed(
    topic: string,
    from: ReadonlyMap<number, bigint>,
  ): Promise<Awaited<ReturnType<Kafka["committed"]>>> {
    try {
      return await this.#committed(topic, from, mostPartBytes);
    } catch (error) {
      if (!(error instanceof ExpandedError)) throw error;
      // Several batches may be what is too large. Of one partition, a broker gives one batch at least.
      this.#narrow += 1;
      const one = [...from][this.#narrow % from.size];
      return this.#committed(topic, new Map(one && [one]), 1);
    }
  }

  /** @param most bytes to request from each partition */
  async #committed(
    topic: string,
    from: ReadonlyMap<number, bigint>,
    most: number,
  ): Promise<Awaited<ReturnType<Kafka["committed"]>>> {
    try {
      const { id, partitions } = await this.#metadata(topic);
      const leaders = groupBy([...from], ([partition]) => partitions[partition]?.leader ?? -1);
      const answers = await Promise.all(
        [...leaders].map(([node, places]) =>
          this.#consumer.fetch({
            node,
            topics: [{ topicId: id, partitions: this.#turned(places).map((place) => fetched(place, most)) }],
            minBytes: 1,
            maxBytes: mostBytes,
            maxWaitTime: 0,
            isolationLevel: unfiltered,
          }),
        ),
      );
      const records = answers.flatMap(({ responses }) =>
        responses.flatMap((response) =>
          response.partitions.map(
            (answer) =>
              [
                answer.partitionIndex,
                committedRecords(answer, from.get(answer.partitionIndex) ?? 0n),
              ] as const,
          ),
        ),
      );
      return { id, partitions: partitions.length, records: new Map(records) };
    } catch (error) {
      if (isUnknownTopic(error)) return undefined;
      throw this.#errorOf(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#admin.close(), this.#consumer.close(true), this.#producer.close(true)]);
  }

  /** The same places, beginning with another one each time: the first ones may fill an answer. */
  #turned<T>(places: readonly T[]): readonly T[] {
    this.#turn += 1;
    const start = this.#turn % places.length;
    return [...places.slice(start), ...places.slice(0, start)];
  }

  /** Whether every partition of a topic has a leader that knows the topic. */
  async #isReady(topic: string): Promise<boolean> {
    try {
      const { partitions } = await this.#metadata(topic);
      if (!partitions.every(({ leader }) => leader >= 0)) return false;
      await this.ranges(topic);
      return true;
    } catch (error) {
      if (isUnknownTopic(error) || kafkaErrorOf(error).isTemporary) return false;
      throw this.#errorOf(error);
    }
  }

  async #fetch(topic: string, partition: number, offset: bigint): Promise<readonly RecordsBatch[]> {
    try {
      const { id, partitions } = await this.#metadata(topic);
      const { responses } = await this.#consumer.fetch({
        node: partitions[partition]?.leader ?? -1,
        topics: [
          {
            topicId: id,
            partitions: [
              {
                partition,
                currentLeaderEpoch: -1,
                fetchOffset: offset,
                lastFetchedEpoch: -1,
                partitionMaxBytes: mostBytes,
              },
            ],
          },
        ],
        minBytes: 1,
        maxBytes: mostBytes,
        maxWaitTime: longestWait,
        isolationLevel: 0,
      });
      return responses.flatMap((response) => response.partitions.flatMap(({ records = [] }) => records));
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  #errorOf(error: unknown): KafkaError {
    const refusal = takeRefusal([this.#admin, this.#consumer, this.#producer]);
    if (refusal !== undefined) {
      const why = `Kafka does not answer: ${refusal}. Check the port and securityProtocol.`;
      return new KafkaError(why, true, undefined, { cause: error });
    }
    const known = kafkaErrorOf(error);
    if (!known.message.endsWith(": Request timed out.")) return known;
    const why = `Kafka does not answer: no answer from ${this.#places} within ${this.#longest / 1000} s.`;
    return new KafkaError(why, true, undefined, { cause: error });
  }

  async #metadata(topic: string) {
    const { topics } = await this.#consumer.metadata({ topics: [topic], forceUpdate: true });
    const found = topics.get(topic);
    if (!found) throw new Error(`The brokers do not know topic ${topic}.`);
    return found;
  }
}

function fetched([partition, fetchOffset]: readonly [number, bigint], partitionMaxBytes: number) {
  return {
    partition,
    currentLeaderEpoch: -1,
    fetchOffset,
    lastFetchedEpoch: -1,
    partitionMaxBytes,
  };
}

function recordsOf({ firstOffset, records }: RecordsBatch): readonly ReadRecord[] {
  return records.map(({ offsetDelta, key, value, headers }) => ({
    offset: firstOffset + BigInt(offsetDelta),
    key,
    value,
    headers: new Map(headers.map(([name, text]) => [name?.toString() ?? "", text?.toString() ?? ""])),
  }));
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
