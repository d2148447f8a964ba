import type { DataChain } from "../chains/data-chain.js";
import type { MarketReads } from "./market-reads.js";

/** A market that the service serves: the entities of a subgraph. */
export interface Market {
  /** The subgraph's name and version, or the deployment id of a build. */
  readonly subgraph: string;
  /** The deployment id of its build. */
  readonly build: string;
  readonly chain: DataChain;
  /** Blocks behind its head that a reorganisation may replace. */
  readonly depth: number;
  /**
   * Reads as of one moment.
   * @throws Refusal if the database does not answer, or not in time
   */
  read<Result>(work: (reads: MarketReads) => Promise<Result>): Promise<Result>;
}
