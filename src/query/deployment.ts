import type { Sql } from "../store/database/database.js";
import type { Layout } from "../store/tables/layout.js";

/** A deployment that can be queried. */
export interface QueryDeployment {
  /** `Qm…`. */
  readonly id: string;
  /** The text of `schema.graphql`, checked before. */
  readonly schema: string;
  readonly layout: Layout;
  /** Its progress; `undefined` before its first block. */
  state(sql: Sql): Promise<DeploymentState | undefined>;
  /** Finds a block of the chain, whether or not the deployment has reached it. @param hash lower-case hex with 0x */
  blockOfHash(sql: Sql, hash: string): Promise<KnownBlock | undefined>;
}

/** The progress of a deployment. */
export interface DeploymentState {
  readonly head: KnownBlock;
  /** The first queryable block: the one before the start block, or the first one not pruned. */
  readonly earliestBlock: number;
  /** The first block with a deterministic error. */
  readonly firstErrorBlock?: number;
}

/** A block with its known fields. */
export interface KnownBlock {
  readonly number: number;
  /** Hex with 0x, in lower case. */
  readonly hash: string;
  /** Seconds since 1970. */
  readonly timestamp?: number;
  /** Hex with 0x, in lower case. */
  readonly parentHash?: string;
}
