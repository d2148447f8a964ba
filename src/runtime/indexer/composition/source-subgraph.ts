import type { Entity } from "../../../subgraph/schema/entity.js";
import type { BlockPointer } from "../../chain/chain.js";

/** Another subgraph, as the source of a composed one. Something else indexes it. */
export interface SourceSubgraph {
  /**
   * Its last written blocks, newest first. It may remember fewer blocks than requested, and has none while it is missing
   * or may not be read.
   */
  recentBlocks(count: number): Promise<readonly BlockPointer[]>;
  /**
   * The entities that its handlers for the chain wrote in a range of blocks, both ends inclusive, as of one moment. Their
   * types must be immutable.
   * @throws ReorgError when it has not written the whole range, for example because it was reverted
   */
  read(from: number, to: number, types: readonly string[]): Promise<SourceEntities>;
}

/** The entities of a range of blocks. */
export interface SourceEntities {
  /** The last block whose entities are included: before the end of the range if there are too many. */
  readonly to: number;
  /** In the order in which they were written. */
  readonly entities: readonly SourceEntity[];
  /** The hashes of the blocks of the range, as far as the source remembers them. */
  readonly hashes: ReadonlyMap<number, string>;
}

export interface SourceEntity {
  readonly block: number;
  readonly type: string;
  /** Without fields that are null or derived. */
  readonly entity: Entity;
}
