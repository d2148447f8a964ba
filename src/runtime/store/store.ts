import type { Entity, EntityChange } from "../../subgraph/schema/entity.js";
import type { BlockPointer } from "../chain/chain.js";

/**
 * A store of entities, with every version and the range of blocks in which it is valid. It has a single writer. All
 * methods are asynchronous, so a store can be a database; the in-memory store answers immediately.
 */
export interface Store extends WritableStore, StoreReader {}

/**
 * Look-ups as of the last block. They only find entities written by on-chain data sources, not by file data sources.
 */
export interface EntityLookup {
  /** Finds an entity as of the last block. */
  get(type: string, id: string): Promise<Entity | undefined>;
  /** The same, synchronously, in stores that support it. It avoids running readers again. */
  getNow?(type: string, id: string): Entity | undefined;
  /** What an asynchronous store knows without waiting: the entity, `null` if it does not exist, or `undefined`. */
  peek?(type: string, id: string): Entity | null | undefined;
  /** Announces that an entity is likely to be read soon, so that a store may read it ahead. */
  expect?(type: string, id: string): void;
  /** Finds many entities of a type as of the last block in one query, by id; missing entities are absent. */
  getMany?(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Entity>>;
  /**
   * The digest of the proof of indexing as of the last block; `undefined` before the first handler ran. Stores that keep
   * no proofs lack it.
   */
  readonly proofDigest?: () => Promise<Uint8Array | undefined>;
  /** The entities as of the last block whose field refers to an id or lists it, sorted by id. */
  related(type: string, field: string, id: string): Promise<readonly Entity[]>;
  /** The same, synchronously, as with `getNow`. */
  relatedNow?(type: string, field: string, id: string): readonly Entity[];
}

/** The part of a store that indexing needs. */
export interface WritableStore extends EntityLookup {
  /** The last block that is completely written; `undefined` before the first. */
  head(): Promise<BlockPointer | undefined>;
  /**
   * Writes a block atomically.
   * @throws EntityError for an id that an entity of another type of the same interface has, or for an immutable entity
   * that is written again
   */
  commit(block: WrittenBlock, writes: BlockWrites, options?: CommitOptions): Promise<void>;
  /** Writes held-back blocks to permanent storage. */
  flush?(): Promise<void>;
  /**
   * Records that a handler has ended the run; nothing of its block is written. The next block clears the record. After
   * a deterministic failure, the failed block still becomes the last block, with nothing but the failure.
   */
  fail?(failure: FailedHandler, block: WrittenBlock, options?: FailOptions): Promise<void>;
  /** Reverts everything after a block. The block is then the last one. */
  revert(to: BlockPointer | undefined): Promise<void>;
  /** The data sources created so far, in the order of creation. */
  dataSources(): Promise<readonly CreatedDataSource[]>;
  /**
   * The last written blocks, newest first, to find the common ancestor after a reorg. A store may remember fewer blocks
   * than requested. If none of them is on the chain, the fork is older than the store remembers.
   */
  recentBlocks(count: number): Promise<readonly BlockPointer[]>;
}

/** A block, with details for readers of the store. */
export interface WrittenBlock extends BlockPointer {
  readonly parentHash?: string;
  /** Seconds since the Unix epoch. Stores that compute aggregations of timeseries need it. */
  readonly timestamp?: bigint;
}

/** Options for writing a block. */
export interface CommitOptions {
  /**
   * More blocks follow immediately, so the store may hold this one back to write many together. Reads already include
   * it. If the process ends before it is written, the store ends with an earlier block.
   */
  readonly more?: boolean;
  /** The block is near the chain head: the subgraph counts as synced from now on. */
  readonly isNearHead?: boolean;
}

/** Options for recording a failure. */
export interface FailOptions extends Pick<CommitOptions, "isNearHead"> {
  /** The digest of the proof of indexing after the failed block. */
  readonly proofDigest?: Uint8Array;
}

/** The part of a store for readers of indexed data. */
export interface StoreReader {
  /**
   * All entities of a type as of a block (by default the last one), sorted by id.
   * @throws Error for a block whose entities the store does not keep
   */
  all(type: string, at?: number): Promise<readonly Entity[]>;
  /**
   * The versions that started or ended after one block and up to another, sorted by `vid`, for a change feed. If a
   * version ended without a successor, the entity was removed.
   */
  changes(after: number, to: number): Promise<readonly EntityVersion[]>;
  /**
   * The current versions of a type in the order in which they were written; with `last`, only that many newest ones.
   */
  current(type: string, last?: number): Promise<readonly EntityVersion[]>;
  /** The number of entities of each type, and the number of their versions that are still stored. */
  counts(): Promise<ReadonlyMap<string, EntityCounts>>;
}

/** The counts of an entity type. */
export interface EntityCounts {
  readonly entities: number;
  readonly versions: number;
}

export interface BlockWrites {
  readonly changes: readonly EntityChange[];
  readonly dataSources: readonly CreatedDataSource[];
  /** The causality regions of the file data sources whose files were handled. */
  readonly filesDone?: readonly number[];
  /** Handlers whose failures are tolerated. Stores may keep them with the entities, and revert them with the block. */
  readonly errors?: readonly FailedHandler[];
  /** The digest of the proof of indexing; absent if no handler ran, or if the store keeps no proofs. */
  readonly proofDigest?: Uint8Array;
  /** How often each handler ran. Stores may count it. */
  readonly runs?: readonly HandlerRuns[];
}

/** How often a handler of a data source or a template ran, and what it stored. */
export interface HandlerRuns {
  readonly source: string;
  readonly handler: string;
  readonly count: number;
  /** How many entities of each type it set or removed, once per run and entity. */
  readonly stored: ReadonlyMap<string, number>;
}

export interface FailedHandler {
  readonly handler: string;
  /** Name of the data source or template. */
  readonly source: string;
  readonly block: number;
  readonly blockHash: string;
  /** Absent for blocks and files. */
  readonly transactionHash: string | undefined;
  /** Absent for calls, blocks and files. */
  readonly logIndex: number | undefined;
  /** Whether the failure would be the same on every node. */
  readonly isDeterministic: boolean;
  readonly error: Error;
}

/** A data source created from a template while indexing. */
export interface CreatedDataSource {
  readonly template: string;
  /** Lower-case hex. For a file data source, the bytes of the file path. */
  readonly address: string;
  readonly creationBlock: number;
  /** The context given to `createWithContext`. */
  readonly context?: Entity;
  /** For a file data source: its causality region, from 1. No other source reads or writes its entities. */
  readonly region?: number;
  /** For a file data source: the block in which the file was handled; absent until then. */
  readonly doneAt?: number;
}

export interface EntityVersion {
  /** Grows with every version: block number * 2^32 + sequence number, which starts at 100 in every block. */
  readonly vid: bigint;
  readonly type: string;
  readonly id: string;
  readonly entity: Entity;
  /** First block in which it is valid. */
  readonly from: number;
  /** First block in which it is no longer valid; absent for the current version. */
  readonly to?: number;
}
