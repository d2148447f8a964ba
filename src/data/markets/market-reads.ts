/** A block, as a subgraph's store records it. */
export interface MarketBlock {
  readonly number: number;
  readonly hash: string;
  /** Seconds since 1970; absent if the store does not know it. */
  readonly timestamp?: number | undefined;
}

/** How far a market's subgraph is indexed. */
export interface MarketState {
  readonly startBlock: number;
  /** The last indexed block; absent if there is none. */
  readonly head: MarketBlock | undefined;
  /** Whether it has ever reached the chain's head. */
  readonly isSynced: boolean;
  /** `failed` if indexing has ended; `retried` if it retries a block. */
  readonly failure: "failed" | "retried" | undefined;
  /** The first block with a failed handler; entities are incomplete from here on. */
  readonly firstErrorBlock: number | undefined;
  /** The first block with entities, if older history is gone. */
  readonly keptFrom: number | undefined;
}

/** A sort field. Null counts as zero. */
export interface SortKey<Field extends string> {
  readonly field: Field;
  readonly isDescending: boolean;
}

/** A page of rows. */
export interface PageQuestion<Field extends string> {
  /** Read the rows that are valid at this block. */
  readonly at: number;
  /** Together, they identify a row. */
  readonly order: readonly SortKey<Field>[];
  /** The keys of the row before the page, in order; absent for the first page. */
  readonly after?: readonly string[] | undefined;
  readonly limit: number;
}

/** The sort fields of activity. */
export type ActivityKey = "amountUsdc" | "block" | "logIndex" | "part" | "id";

/** A request for activity. */
export interface ActivityQuestion extends PageQuestion<ActivityKey> {
  readonly address?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly side?: string | undefined;
  readonly orderType?: string | undefined;
  /** Seconds since 1970, both included. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** First and last block. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** In units of 1e-6; leaves out rows without an amount. */
  readonly minAmountUsdc?: bigint | undefined;
}

/** An action of a wallet. Amounts are in units of 1e-6. */
export interface Activity {
  readonly id: string;
  readonly block: number;
  readonly timestamp: number | null;
  readonly transactionHash: string | null;
  readonly logIndex: number;
  readonly part: number;
  readonly eventType: string;
  readonly side: string;
  readonly orderType: string;
  readonly address: string | null;
  readonly counterparty: string | null;
  readonly tokenId: bigint | null;
  readonly amountUsdc: bigint | null;
  readonly amountShares: bigint | null;
  /** In units of 1e-6 of `feeAsset`. */
  readonly fee: bigint | null;
  /** `collateral` or `token`. */
  readonly feeAsset: string | null;
  readonly orderId: string | null;
  readonly builder: string | null;
}

/** The sort fields of balances. */
export type BalanceKey = "balance" | "block" | "tokenId" | "contractAddress";

/** A request for balances. */
export interface BalanceQuestion extends PageQuestion<BalanceKey> {
  readonly address: string;
  readonly tokenId?: string | undefined;
  readonly contractAddress?: string | undefined;
  readonly minBalance: bigint;
}

/** A wallet's holding of an outcome token, in units of 1e-6. */
export interface MarketBalance {
  readonly address: string;
  readonly contractAddress: string;
  readonly tokenId: bigint;
  readonly balance: bigint;
  readonly block: number | null;
  readonly timestamp: number | null;
}

/** The sort fields of positions. */
export type PositionKey = "amount" | "realizedPnl" | "timestamp" | "tokenId";

/** A request for positions. */
export interface PositionQuestion extends PageQuestion<PositionKey> {
  readonly address: string;
  readonly tokenId?: string | undefined;
  /** Leaves out rows without an amount. */
  readonly minAmount?: bigint | undefined;
  /** Whether to show amounts of exactly zero. */
  readonly withZero: boolean;
}

/** A wallet's trades of an outcome token, in units of 1e-6. */
export interface Position {
  readonly address: string;
  readonly tokenId: bigint;
  readonly amount: bigint | null;
  readonly avgPrice: bigint | null;
  readonly realizedPnl: bigint | null;
  readonly totalBought: bigint | null;
  /** The block that changed it last, and its time in seconds since 1970. */
  readonly block: number | null;
  readonly timestamp: number | null;
}

/** The prepared reads of a market, all from one moment. */
export interface MarketReads {
  /** `undefined` if the subgraph was removed. */
  state(): Promise<MarketState | undefined>;
  /** The hash of a recently written block; `undefined` if the block is missing or too old. */
  hashOf(block: number): Promise<string | undefined>;
  /** The oldest block whose hash is known. */
  oldestHash(): Promise<number | undefined>;
  activity(question: ActivityQuestion): Promise<readonly Activity[]>;
  balances(question: BalanceQuestion): Promise<readonly MarketBalance[]>;
  positions(question: PositionQuestion): Promise<readonly Position[]>;
}
