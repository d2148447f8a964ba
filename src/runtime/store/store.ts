import type { Entity, EntityChange } from "../../subgraph/schema/entity.js";
import type { BlockPointer } from "../chain/chain.js";

/**
 * A store of entities, with every version and the range of blocks it was valid in. Single writer. All methods
 * are asynchronous so that a store may be a database; the store in memory answers at once.
 */
export interface Store extends WritableStore, StoreReader {}

/** Look-ups as of the last block. */
export interface EntityLookup {
  /** Finds an entity as of the last block. */
  get(type: string, id: string): Promise<Entity | undefined>;
  /** The same synchronously, from a store that supports it; it spares running readers again. */
  getNow?(type: string, id: string): Entity | undefined;
  /** Entities as of the last block whose field refers to an id (or lists it), sorted by id. */
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
  commit(block: BlockPointer, writes: BlockWrites): Promise<void>;
  /** Reverts to a block, or to the empty store: everything after it is removed. */
  revert(to: BlockPointer | undefined): Promise<void>;
  /** Data sources created so far, in the order of their creation. */
  dataSources(): Promise<readonly CreatedDataSource[]>;
  /**
   * The last blocks written, newest first, to find the common ancestor after a reorg. A store may remember
   * fewer than asked for; if none of them is on the chain, the fork is older than the store remembers.
   */
  recentBlocks(count: number): Promise<readonly BlockPointer[]>;
}

/** The part of a store that readers of the results need. */
export interface StoreReader {
  /** All entities of a type as of a block (the last one by default), sorted by id. */
  all(type: string, at?: number): Promise<readonly Entity[]>;
  /**
   * The versions that changed after a block up to another, by `vid`, for a change feed: those that began in
   * that range, and those that ended in it; one that ended without a successor was removed.
   */
  changes(after: number, to: number): Promise<readonly EntityVersion[]>;
  /** How many versions of each type the store holds. */
  counts(): Promise<ReadonlyMap<string, number>>;
}

/** All writes of one block. */
export interface BlockWrites {
  readonly changes: readonly EntityChange[];
  readonly dataSources: readonly CreatedDataSource[];
}

/** A data source created from a template while indexing. */
export interface CreatedDataSource {
  readonly template: string;
  /** Lower-case hex. */
  readonly address: string;
  readonly creationBlock: number;
  /** The context given to `createWithContext`. */
  readonly context?: Entity;
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
