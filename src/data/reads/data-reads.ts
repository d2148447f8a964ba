import type { MarkKind } from "../catalog/token-marks.js";
import type { KnownBlock } from "../chains/known-block.js";

/** The question of a page of blocks. */
export interface BlockQuestion {
  readonly chain: string;
  /** The name of the chain in the items. */
  readonly shownAs: string;
  /** The block of the walk. */
  readonly pinned?: number | undefined;
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

/** A page of blocks, and the state of the chain at the same moment. */
export interface BlockPage {
  readonly standing: Standing;
  /** The canonical block with the number of `pinned`. */
  readonly pinned: KnownBlock | undefined;
  /**
   * The items as JSON, separated by commas. They go unchanged from the database to the client: parsing headers and
   * writing them again would take more time than everything else.
   */
  readonly items: string;
  /** The lowest and the highest block of the page; `undefined` if it is empty. */
  readonly numbers: { readonly lowest: number; readonly highest: number } | undefined;
  readonly count: number;
  readonly hasMore: boolean;
}

/** A block's header, with the field names of the contract. */
export interface BlockItem extends KnownBlock {
  readonly parent_hash: string;
  readonly author: string;
  /** Bytes; 0 if the node did not report it. */
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

export const categories = ["blocks", "transfers", "natives"] as const;

/** A category of data: the table that holds it. */
export type Category = (typeof categories)[number];

/** How far a table is filled. */
export interface Indexed {
  readonly category: Category;
  /** The last block with rows; `undefined` if there is none. */
  readonly last: number | undefined;
  /** The last block that no reorganisation replaces. */
  readonly final: number | undefined;
}

/** The newest block of a chain, and the last one that no reorganisation replaces. */
export interface Standing {
  readonly head: KnownBlock;
  /** -1 if every block may still be replaced. */
  readonly final: number;
}

/** A chain that has tables. */
export interface IndexedChain {
  readonly chain: string;
  readonly firstBlock: number;
  readonly natives: boolean;
}

/**
 * The prepared reads of the tables that pipelines fill, all from one moment. PostgreSQL and ClickHouse answer them.
 * Rows are found by block and by their order in it, never by time.
 */
export interface ChainReads {
  /** The chains that have tables. */
  chains(): Promise<readonly IndexedChain[]>;
  /** How far the tables of a chain are filled. */
  indexed(chain: string): Promise<readonly Indexed[]>;
  /** The state of a chain; `undefined` if it has no tables or no blocks. */
  standing(chain: string): Promise<Standing | undefined>;
  /** A block of the canonical chain. */
  block(chain: string, number: number): Promise<KnownBlock | undefined>;
  /** A page of blocks; `undefined` if the chain has no tables or no blocks. */
  blocks(question: BlockQuestion): Promise<BlockPage | undefined>;
  /** The newest block that all of the given tables have on the same branch; `undefined` if one has none. */
  common(chain: string, categories: readonly Category[]): Promise<KnownBlock | undefined>;
  moves(question: MoveQuestion): Promise<readonly Move[]>;
  /**
   * A wallet's holdings at a block.
   * @param most the most tokens
   */
  holdings(
    question: TokenFilter & { readonly chain: string; readonly wallet: string; readonly block: number },
    most: number,
  ): Promise<readonly Holding[]>;
}

/**
 * The prepared reads of operators' and contracts' facts about tokens. They are in PostgreSQL, even if rows are
 * elsewhere.
 */
export interface CatalogReads {
  /** The facts about the native coin of a chain, if it passes a filter. */
  native(chain: string, filter: TokenFilter): Promise<ServedToken | undefined>;
  /**
   * Prices, in the order of the questions.
   * @param window seconds that a price may be old
   * @param knownAt leaves out prices fetched after that time, in seconds since 1970
   */
  prices(
    questions: readonly PriceQuestion[],
    window: number,
    knownAt?: number,
  ): Promise<readonly (Price | undefined)[]>;
  /** The facts about tokens at blocks, one for each question, in the same order. */
  known(chain: string, questions: readonly TokenQuestion[]): Promise<readonly KnownToken[]>;
  /**
   * The tokens of a chain that pass a filter and may have a price, and all tokens that the filter names, without the native
   * coin. A wallet may hold them without a transfer.
   * @param most tokens at most
   */
  priceable(
    chain: string,
    filter: TokenFilter,
    most: number,
  ): Promise<readonly (HeldToken & { readonly token: string })[]>;
}

/** A token, and the block for which facts are requested. */
export interface TokenQuestion {
  readonly token: string;
  readonly block: number;
}

/** All reads of the service. */
export interface DataReads extends ChainReads, CatalogReads {}

/** The catalog's interface for a store of rows in another database. */
export interface Catalog extends CatalogReads {
  /** The tokens that pass a filter; `undefined` if it lets every token pass. */
  passing(chain: string, filter: TokenFilter): Promise<readonly string[] | undefined>;
  /** The facts about tokens that a wallet holds, for tokens that have any. */
  held(chain: string, tokens: readonly string[]): Promise<ReadonlyMap<string, HeldToken>>;
  /** The names of addresses that have one. */
  labels(chain: string, addresses: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** A place between the rows of a chain: rows before it are older. */
export interface MovePlace {
  readonly block: number;
  readonly sequence: number;
}

/** Which tokens to include. All conditions must hold. */
export interface TokenFilter {
  readonly tokens?: readonly string[] | undefined;
  /** In lower case. */
  readonly symbols?: readonly string[] | undefined;
  /** Whether to include tokens without a source of prices. */
  readonly withUnpriced: boolean;
}

/** The question about a wallet's moves. */
export interface MoveQuestion extends TokenFilter {
  readonly chain: string;
  readonly wallet: string;
  readonly types: readonly ("erc20" | "native")[];
  readonly direction?: "in" | "out" | undefined;
  /** The newest block that counts, and the oldest one. */
  readonly to: number;
  readonly from?: number | undefined;
  /** Seconds since 1970, both included. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Older than this place, newest first. */
  readonly below?: MovePlace | undefined;
  /** Or from this place on, oldest first. */
  readonly above?: MovePlace | undefined;
  readonly limit: number;
}

/** The facts about a token: from its contract, or else from the registry. */
export interface ServedToken {
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number | null;
  readonly logoUrl: string | null;
  readonly isStable: boolean;
}

/** A token with the findings of an audit. */
export interface KnownToken extends ServedToken {
  readonly token: string;
  readonly mark: MarkKind | null;
}

/** A half of a transfer: what one wallet sent or received. */
export interface Move extends ServedToken {
  readonly block: number;
  readonly sequence: number;
  readonly timestamp: number;
  readonly transaction: string;
  readonly counterparty: string;
  readonly token: string;
  /** Negative for the sender. */
  readonly amount: bigint;
  readonly type: "erc20" | "native";
  /** The name of the counterparty. */
  readonly label: string | null;
  /** The name of the wallet itself. */
  readonly ownLabel: string | null;
}

/** The facts about a token in a read of a wallet's balances. */
export interface HeldToken {
  /** The finding of an audit. */
  readonly mark: MarkKind | null;
  /** Whether it may have a price: prices exist, or it has a source of prices. */
  readonly isPriceable: boolean;
  /** Whether it wraps native coins, and the tables lack some of its deposits and withdrawals. */
  readonly lacksMoves: boolean;
}

/** A wallet's holding of a token. */
export interface Holding extends HeldToken {
  readonly token: string;
  /** The sum of its transfers; `undefined` if the wallet has none. */
  readonly sum: bigint | undefined;
  /**
   * The facts about the token, if the filter needed them. Otherwise they are left out: a wallet may have thousands of
   * tokens, few of which are shown.
   */
  readonly known: ServedToken | undefined;
}

/** Which price is requested, and for which time. */
export interface PriceQuestion {
  readonly chain: string;
  readonly token: string;
  /** Seconds since 1970. */
  readonly time: number;
}

export interface Price {
  /** Decimal digits. */
  readonly usd: string;
  /** When it was observed, in seconds since 1970; null if it is asserted at par. */
  readonly asOf: number | null;
}

export interface DataStore {
  /**
   * Reads as of one moment.
   * @throws Refusal if the database does not answer, or not in time
   */
  read<Result>(work: (reads: DataReads) => Promise<Result>): Promise<Result>;
  /**
   * Like `read`, for work with a single read of one chain. It may need fewer messages.
   * @throws Refusal as `read` does
   */
  readOnce<Result>(chain: string, work: (reads: DataReads) => Promise<Result>): Promise<Result>;
}
