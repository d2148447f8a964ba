/** A record of a topic that was read. */
export interface TopicRecord {
  readonly offset: bigint;
  /** Milliseconds since the Unix epoch. */
  readonly timestamp: bigint;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}

/** Records of a partition. */
export interface CommittedRecords {
  /** In order, without records of transactions that were aborted. Compaction may have removed some. */
  readonly records: readonly TopicRecord[];
  /** The offset after them, and after all that is left out between them. */
  readonly next: bigint;
}

/** A topic, with records of its partitions. */
export interface TopicReading {
  /** Another topic of the same name has another one. */
  readonly id: string;
  readonly partitions: number;
  /** By number of the partition. */
  readonly records: ReadonlyMap<number, CommittedRecords>;
}

/** Reads topics of a cluster. */
export interface TopicReader {
  /**
   * Reads what is committed in some partitions, as much as one request gives, and does not wait for more.
   * @param from the first offset of each
   * @returns `undefined` if there is no topic of the name
   * @throws OffsetGoneError if a partition does not have an offset, and errors of the cluster
   */
  committed(topic: string, from: ReadonlyMap<number, bigint>): Promise<TopicReading | undefined>;
  /** The first offset of each partition that is kept, and the one after the last that is committed. */
  ranges(topic: string): Promise<readonly { readonly first: bigint; readonly next: bigint }[]>;
}

/** A partition does not have an offset: it was deleted, or is not written yet. */
export class OffsetGoneError extends Error {
  override readonly name = "OffsetGoneError";
}
