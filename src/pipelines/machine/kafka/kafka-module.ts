/**
 * The used part of `@platformatic/kafka`. It is declared here, since only users of Kafka install the package.
 */
export interface KafkaModule {
  readonly Admin: new (options: ClientOptions) => AdminClient;
  readonly Consumer: new (options: ClientOptions & { readonly groupId: string }) => ConsumerClient;
  readonly Producer: new (options: ClientOptions & { readonly idempotent: boolean }) => ProducerClient;
  /** The same objects that the client itself uses, by name. */
  readonly compressionsAlgorithms: Readonly<Record<string, Decompressor>>;
}

export interface Decompressor {
  decompressSync: (data: Uint8Array | { readonly buffer: Uint8Array }) => Uint8Array;
}

export interface ClientOptions {
  readonly clientId: string;
  readonly bootstrapBrokers: readonly { readonly host: string; readonly port: number }[];
  readonly retries: number;
  readonly retryDelay: number;
  readonly timeout: number;
  readonly connectTimeout: number;
  readonly requestTimeout: number;
  readonly tls?: object;
  readonly sasl?: { readonly mechanism: string; readonly username: string; readonly password: string };
}

interface Client {
  /** A number of its own, which its connections know. */
  readonly instanceId?: number;
  metadata(options: {
    readonly topics: readonly string[];
    readonly forceUpdate: boolean;
  }): Promise<ClusterMetadata>;
  close(force?: boolean): Promise<void>;
}

export interface ClusterMetadata {
  readonly topics: ReadonlyMap<
    string,
    { readonly id: string; readonly partitions: readonly { readonly leader: number }[] }
  >;
}

export interface AdminClient extends Client {
  createTopics(options: {
    readonly topics: readonly string[];
    readonly partitions: number;
    readonly replicas: number;
    readonly configs: readonly { readonly name: string; readonly value: string }[];
  }): Promise<unknown>;
  listTopics(options: object): Promise<readonly string[]>;
  deleteTopics(options: { readonly topics: readonly string[] }): Promise<void>;
  describeConfigs(options: {
    readonly resources: readonly { readonly resourceType: number; readonly resourceName: string }[];
  }): Promise<
    readonly { readonly configs: readonly { readonly name: string; readonly value?: string | null }[] }[]
  >;
}

export interface ConsumerClient extends Client {
  listOffsets(options: {
    readonly topics: readonly string[];
    readonly timestamp: bigint;
  }): Promise<ReadonlyMap<string, readonly bigint[]>>;
  fetch(options: {
    readonly node: number;
    readonly topics: readonly {
      readonly topicId: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly currentLeaderEpoch: number;
        readonly fetchOffset: bigint;
        readonly lastFetchedEpoch: number;
        readonly partitionMaxBytes: number;
      }[];
    }[];
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly maxWaitTime: number;
    readonly isolationLevel: number;
  }): Promise<FetchResponse>;
}

export interface FetchResponse {
  readonly responses: readonly {
    readonly partitions: readonly {
      readonly partitionIndex: number;
      readonly abortedTransactions?:
        | readonly { readonly producerId: bigint; readonly firstOffset: bigint }[]
        | null;
      readonly records?: readonly RecordsBatch[];
    }[];
  }[];
}

export interface RecordsBatch {
  readonly firstOffset: bigint;
  readonly lastOffsetDelta: number;
  readonly attributes: number;
  /** Milliseconds since the Unix epoch. */
  readonly firstTimestamp: bigint;
  readonly maxTimestamp: bigint;
  readonly producerId: bigint;
  readonly records: readonly {
    readonly offsetDelta: number;
    readonly timestampDelta: bigint;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
    readonly headers: readonly (readonly [Buffer | null, Buffer | null])[];
  }[];
}

export interface ProducerClient extends Client {
  send(options: {
    readonly acks: number;
    readonly repeatOnStaleMetadata: boolean;
    readonly messages: readonly {
      readonly topic: string;
      readonly partition: number;
      readonly key?: Buffer;
      readonly value?: Buffer;
      readonly headers: ReadonlyMap<Buffer, Buffer>;
    }[];
  }): Promise<{
    readonly offsets?: readonly {
      readonly topic: string;
      readonly partition: number;
      readonly offset: bigint;
    }[];
  }>;
}
