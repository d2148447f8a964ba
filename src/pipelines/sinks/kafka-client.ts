import type { ServerTls } from "../../base/server-tls.js";
import type { TopicReader } from "../sources/kafka/topic-reader.js";

/** A record to write. Its key decides the partition, so that all records of a key are in order. */
export interface KafkaRecord {
  readonly key: Uint8Array | null;
  /** Null deletes the key in a compacted topic. */
  readonly value: Uint8Array | null;
  readonly headers: ReadonlyMap<string, string>;
}

/** A record with the partition that it is written to. */
export interface PlacedRecord extends KafkaRecord {
  readonly partition: number;
}

export interface ReadRecord extends KafkaRecord {
  readonly offset: bigint;
}

/** A topic as the brokers have it. */
export interface KafkaTopic {
  /** Another topic of the same name has another one. */
  readonly id: string;
  readonly partitions: number;
  /** Settings such as `cleanup.policy`, by name. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Offsets of a partition. */
export interface PartitionRange {
  /** Of the first record that is kept. */
  readonly first: bigint;
  /** Of the record that is written next. */
  readonly next: bigint;
}

/** The brokers of a Kafka cluster. Every method throws KafkaError. */
export interface Kafka extends Pick<TopicReader, "committed"> {
  /** A topic; `undefined` if there is none of the name. */
  topic(name: string): Promise<KafkaTopic | undefined>;
  /**
   * Creates a topic, unless it exists.
   * @param partitions as many as the brokers choose if absent
   */
  createTopic(
    name: string,
    partitions: number | undefined,
    settings: ReadonlyMap<string, string>,
  ): Promise<void>;
  /** Deletes all topics whose names begin with a text. */
  deleteTopics(prefix: string): Promise<void>;
  /** The offsets of each partition of a topic, by its number, without transactions that are not committed. */
  ranges(topic: string): Promise<readonly PartitionRange[]>;
  /**
   * Writes records once and waits until all replicas in sync have them. Records of a partition are written together or not
   * at all, those of several partitions are not. Call it again only after it has returned.
   * @returns the offset of the first record in each partition that got some
   */
  send(topic: string, records: readonly PlacedRecord[]): Promise<ReadonlyMap<number, bigint>>;
  /** Reads the records of a partition, in order. @param range which; compaction may have removed some */
  read(topic: string, partition: number, range: PartitionRange): AsyncIterable<ReadRecord>;
  close(): Promise<void>;
}

/** How to reach a Kafka cluster. */
export interface KafkaAddress {
  /** `host:port` of brokers to begin with. */
  readonly brokers: readonly string[];
  /** Whether connections are encrypted. */
  readonly isTls: boolean;
  /** How the certificates of the brokers are checked; by default, all of them. */
  readonly tls?: ServerTls | undefined;
  readonly login?:
    | { readonly mechanism: SaslMechanism; readonly user: string; readonly password: string }
    | undefined;
}

/** How a client proves who it is. */
export type SaslMechanism = "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512";

/** What a cluster refused, or that it could not be reached. */
export class KafkaError extends Error {
  override readonly name = "KafkaError";
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;
  /** The name that the protocol gives to the refusal, such as `MESSAGE_TOO_LARGE`. */
  readonly code: string | undefined;

  constructor(message: string, isTemporary: boolean, code?: string, options?: ErrorOptions) {
    super(message, options);
    this.isTemporary = isTemporary;
    this.code = code;
  }
}
