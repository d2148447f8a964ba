import type { KnownBlock } from "../chains/known-block.js";

/** What is read for blocks. */
export interface BlockQuestion {
  readonly chain: string;
  readonly hash?: string | undefined;
  /** First and last block. */
  readonly from?: number | undefined;
  readonly to: number;
  /** Seconds since 1970, both included. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly isAscending: boolean;
  readonly limit: number;
}

/** A block's header, by the names of the contract. */
export interface BlockItem extends KnownBlock {
  readonly parent_hash: string;
  readonly author: string;
  /** Bytes; 0 if the node did not say. */
  readonly size: number;
  readonly receipts_root: string;
  readonly transactions_root: string;
  readonly state_root: string;
  readonly uncles_hash: string;
  readonly transaction_count: number;
  readonly base_fee_per_gas: number | null;
  readonly gas_limit: number | null;
  readonly gas_used: number | null;
}

/** A category of data: the table that holds it. */
export type Category = "blocks" | "transfers" | "natives";

/** How far a table is filled. */
export interface Indexed {
  readonly category: Category;
  /** The last block whose rows are there; `undefined` if there is none. */
  readonly last: number | undefined;
  /** The last block that no reorganisation replaces. */
  readonly final: number | undefined;
}

/** A chain that has tables. */
export interface IndexedChain {
  readonly chain: string;
  readonly firstBlock: number;
  readonly natives: boolean;
}

/**
 * The prepared reads of the service, all of one moment. PostgreSQL is the first place that answers them; others implement the
 * same. Rows are found by block and by their order in it, never by time.
 */
export interface DataReads {
  /** The chains that have tables. */
  chains(): Promise<readonly IndexedChain[]>;
  /** How far the tables of a chain are filled. */
  indexed(chain: string): Promise<readonly Indexed[]>;
  /** A block of the canonical chain; the newest one without a number. */
  block(chain: string, number?: number): Promise<KnownBlock | undefined>;
  blocks(question: BlockQuestion): Promise<readonly BlockItem[]>;
}

/** Where the data is. */
export interface DataStore {
  /**
   * Reads as of one moment.
   * @throws Refusal if the database does not answer, or not in time
   */
  read<Result>(work: (reads: DataReads) => Promise<Result>): Promise<Result>;
}
