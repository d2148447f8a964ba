import type { Sql } from "../store/database/database.js";
import type { Layout } from "../store/tables/layout.js";

/** What is queried. */
export interface QueryDeployment {
  /** `Qm…`. */
  readonly id: string;
  /** The text of `schema.graphql`, checked before. */
  readonly schema: string;
  readonly layout: Layout;
  /** How far it is; nothing before its first block. */
  state(sql: Sql): Promise<DeploymentState | undefined>;
  /** A block of the chain, whether the deployment has been there or not. @param hash hex with 0x, in lower case */
  blockOfHash(sql: Sql, hash: string): Promise<KnownBlock | undefined>;
}

/** How far a deployment is. */
export interface DeploymentState {
  readonly head: KnownBlock;
  /** The first block that can be queried: the one before the start block, or where pruning has come to. */
  readonly earliestBlock: number;
  /** The first block with a deterministic error. */
  readonly firstErrorBlock?: number;
}

/** A block and what is known of it. */
export interface KnownBlock {
  readonly number: number;
  /** Hex with 0x, in lower case. */
  readonly hash: string;
  /** Seconds since 1970. */
  readonly timestamp?: number;
  /** Hex with 0x, in lower case. */
  readonly parentHash?: string;
}
