import type { Entity, EntityChange } from "../../subgraph/schema/entity.js";
import type { BlockPointer } from "../chain/chain.js";

/**
 * A store of entities, with every version and the range of blocks it was valid in. Single writer. All methods
 * are asynchronous so that a store may be a database; the store in memory answers at once.
 */
export interface Store extends WritableStore, StoreReader {}

/** Look-ups as of the last block, of what the chain's data sources have written: no file's is found. */
export interface EntityLookup {
  /** Finds an entity as of the last block. */
  get(type: string, id: string): Promise<Entity | undefined>;
  /** The same synchronously, from a store that supports it; it spares running readers again. */
  getNow?(type: string, id: string): Entity | undefined;
  /** What a store that must wait knows without: an entity, that there is none (`null`), or nothing. */
  peek?(type: string, id: string): Entity | null | undefined;
  /** Many entities of a type as of the last block, by id, with one question; those that there are. */
  getMany?(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Entity>>;
  /** Entities as of the last block whose field refers to an id (or lists it), by id. */
  related(type: string, field: string, id: string): Promise<readonly Entity[]>;
  /** The same synchronously, as with `getNow`. */
  relatedNow?(type: string, field: string, id: string): readonly Entity[];
}

/** The part of a store that indexing needs. */
export interface WritableStore extends EntityLookup {
  /** The last block that is completely written; `undefined` before the first. */
  head(): Promise<BlockPointer | undefined>;
  /**
   * Writes a block atomically.
   * @throws EntityError for an id that another type of the same interface has, or an immutable entity written
   * again
   */
  commit(block: WrittenBlock, writes: BlockWrites, options?: CommitOptions): Promise<void>;
  /** Brings what was held back to where it lasts. */
  flush?(): Promise<void>;
  /**
   * Notes that a handler has ended the run: nothing that its block does is written. It is over with the next block. After
   * a deterministic failure the block is the last one nevertheless, with nothing but the failure.
   */
  fail?(failure: FailedHandler, block: WrittenBlock, options?: CommitOptions): Promise<void>;
  /** Takes everything after a block back, as if it had never been. The block is the last one then. */
  revert(to: BlockPointer | undefined): Promise<void>;
  /** Data sources created so far, in the order of their creation. */
  dataSources(): Promise<readonly CreatedDataSource[]>;
  /**
   * The last blocks written, newest first, to find the common ancestor after a reorg. A store may remember
   * fewer than asked for; if none of them is on the chain, the fork is older than the store remembers.
   */
  recentBlocks(count: number): Promise<readonly BlockPointer[]>;
}

/** A block, with what those may want to know of it who look at the store. */
export interface WrittenBlock extends BlockPointer {
  readonly parentHash?: string;
  /** Seconds since 1970. Stores that make aggregations of timeseries need it. */
  readonly timestamp?: bigint;
}

/** How a block is written. */
export interface CommitOptions {
  /**
   * Further blocks follow at once: a store may hold this one back until it has many. It answers as if it were written;
   * should the process end before, the store ends with an earlier block.
   */
  readonly more?: boolean;
  /** The block is near the chain's head: what is indexed counts as synced from now on. */
  readonly isNearHead?: boolean;
}

/** What those need who only look at what was indexed. */
export interface StoreReader {
  /**
   * All entities of a type as of a block (the last one by default), sorted by id.
   * @throws Error for a block whose entities the store does not keep
   */
  all(type: string, at?: number): Promise<readonly Entity[]>;
  /**
   * The versions that changed after a block up to another, by `vid`, for a change feed: those that began in
   * that range, and those that ended in it; one that ended without a successor was removed.
   */
  changes(after: number, to: number): Promise<readonly EntityVersion[]>;
  /** The current versions of a type in the order in which they were written; the last so many. */
  current(type: string, last?: number): Promise<readonly EntityVersion[]>;
  /** How many entities there are of each type, and how many versions that were ever written and are still there. */
  counts(): Promise<ReadonlyMap<string, EntityCounts>>;
}

/** How much there is of an entity type. */
export interface EntityCounts {
  readonly entities: number;
  readonly versions: number;
}

/** All writes of one block. */
export interface BlockWrites {
  readonly changes: readonly EntityChange[];
  readonly dataSources: readonly CreatedDataSource[];
  /** The causality regions of the data sources of files whose files were handled. */
  readonly filesDone?: readonly number[];
  /** Handlers whose failures are borne. Stores may keep them beside the entities, and take them back with the block. */
  readonly errors?: readonly FailedHandler[];
}

/** A handler that failed. */
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
  /** Whether it would be the same on every node. */
  readonly isDeterministic: boolean;
  readonly error: Error;
}

/** A data source created from a template while indexing. */
export interface CreatedDataSource {
  readonly template: string;
  /** Lower-case hex. Of a file the bytes of its path's text. */
  readonly address: string;
  readonly creationBlock: number;
  /** The context given to `createWithContext`. */
  readonly context?: Entity;
  /** Of a file: its causality region, from 1 on. What is written there is neither read nor written elsewhere. */
  readonly region?: number;
  /** Of a file: the block in which it was handled; absent until then. */
  readonly doneAt?: number;
}

/** One version of an entity. */
export interface EntityVersion {
  /** Grows with every version: block number * 2^32 + running number, from 100 on in every block. */
  readonly vid: bigint;
  readonly type: string;
  readonly id: string;
  readonly entity: Entity;
  /** First block in which it is valid. */
  readonly from: number;
  /** First block in which it is no longer valid; absent for the current version. */
  readonly to?: number;
}
