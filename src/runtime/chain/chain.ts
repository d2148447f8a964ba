/**
 * A chain as the runtime sees it: data of an Ethereum node, decoded from JSON-RPC. Hex text is lower case.
 */
export interface Chain {
  /** The chain head. */
  head(): Promise<BlockPointer>;
  /** The canonical block of a number, with its transactions; `undefined` beyond the head. */
  block(number: number): Promise<Block | undefined>;
  /** The blocks of several numbers, in their order; `undefined` for each beyond the head. */
  blocks(numbers: readonly number[]): Promise<readonly (Block | undefined)[]>;
  /** Logs of a range of blocks, both ends inclusive, that match the filter, by block and log index. */
  logs(from: number, to: number, filter: LogFilter, cut?: LogCut): Promise<readonly Log[]>;
  /** Logs of one block, by its hash, that match the filter, by log index; all logs without a filter. */
  logsOf(block: BlockPointer, filter?: LogFilter): Promise<readonly Log[]>;
  /** Calls of a block, of all kinds, that match the filter, in the order of execution. */
  calls(block: Block, filter: CallFilter): Promise<readonly CallTrace[]>;
  /** The receipt of a transaction; `undefined` when the chain no longer has it. */
  receipt(transaction: string): Promise<Receipt | undefined>;
  /**
   * The receipts of all transactions of a block, by its hash, in their order; `undefined` when the node has no method for
   * that.
   */
  receipts?(block: BlockPointer): Promise<readonly Receipt[] | undefined>;
  /** The same in the encoding of their trie, as hex. */
  rawReceipts?(block: BlockPointer): Promise<readonly string[] | undefined>;
  /** Contract reads as of a block, answered in their order. A block that is gone is a `ReorgError`. */
  read(block: BlockPointer, reads: readonly ContractRead[]): Promise<readonly ContractAnswer[]>;
  /** The balance of an account in wei, and the code at an address, as of a block. */
  balance(block: BlockPointer, address: string): Promise<bigint>;
  code(block: BlockPointer, address: string): Promise<string>;
}

export interface BlockPointer {
  readonly number: number;
  readonly hash: string;
}

export interface Block extends BlockPointer {
  readonly parentHash: string;
  readonly unclesHash: string;
  readonly author: string;
  readonly stateRoot: string;
  readonly transactionsRoot: string;
  readonly receiptsRoot: string;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly difficulty: bigint;
  readonly totalDifficulty: bigint;
  readonly size: bigint | null;
  readonly baseFeePerGas: bigint | null;
  /** By hash. */
  readonly transactions: ReadonlyMap<string, Transaction>;
  /** Bloom filter of the logs' addresses and topics; absent where the chain has none. */
  readonly logsBloom?: string;
}

export interface Transaction {
  readonly hash: string;
  readonly index: number;
  readonly from: string;
  /** Null for the creation of a contract. */
  readonly to: string | null;
  /** Wei. */
  readonly value: bigint;
  readonly gasLimit: bigint;
  /** Effective gas price in wei. */
  readonly gasPrice: bigint;
  readonly input: string;
  readonly nonce: bigint;
}

export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly block: BlockPointer;
  readonly transactionHash: string;
  readonly transactionIndex: number;
  readonly logIndex: number;
  readonly removed: boolean;
}

export interface Receipt {
  /** The type of its transaction; 0 when left out. */
  readonly type?: number;
  /** Set for deposits of the OP stack since Canyon. */
  readonly deposit?: { readonly nonce: bigint; readonly version: bigint };
  readonly transactionHash: string;
  readonly transactionIndex: number;
  readonly block: BlockPointer;
  readonly cumulativeGasUsed: bigint;
  readonly gasUsed: bigint;
  readonly contractAddress: string | null;
  readonly logs: readonly Log[];
  /** 1 success, 0 failure; null before the Byzantium fork. */
  readonly status: bigint | null;
  readonly root: string | null;
  readonly logsBloom: string;
}

/** One call of a contract, as a trace shows it. Calls that failed themselves are left out. */
export interface CallTrace {
  readonly from: string;
  readonly to: string;
  readonly input: string;
  readonly output: string;
  readonly transactionHash: string;
  readonly transactionIndex: number;
  /** Set when its transaction failed as a whole, so that it was undone. */
  readonly isUndone?: true;
}

/** How a range is split into queries, so that two witnesses of its logs are never cut at the same block. */
export interface LogCut {
  /**
   * Queries end at blocks with an even (0) or odd (1) number, besides the last block of the range. Another block that has to
   * be queried alone is asked for by its hash, since the other witness may be asked for it by number.
   */
  readonly ends: 0 | 1;
  /**
   * Hears of the blocks of every answer after which it may have been cut: from its last log on.
   * @param query tells apart the queries of a filter, which are cut each by itself
   */
  onTail(query: number, from: number, to: number): void;
}

/** A log matches when an entry has its address and its first topic. */
export type LogFilter = readonly LogFilterEntry[];
export interface LogFilterEntry {
  /** Empty to match any address. */
  readonly addresses: readonly string[];
  readonly topics: readonly string[];
}

/** A call fits when one of the entries has its address and the first four bytes of its input. */
export type CallFilter = readonly CallFilterEntry[];
export interface CallFilterEntry {
  readonly address: string;
  /**
   * Empty for calls of any function; a transfer of value alone is none. As in graph-node, these are with calls of
   * transactions that failed; those of named functions are not.
   */
  readonly selectors: readonly string[];
}

export interface ContractRead {
  readonly address: string;
  readonly data: string;
}

export type ContractAnswer =
  | { readonly kind: "returned"; readonly data: string }
  | { readonly kind: "reverted" };

/**
 * The node's answers are inconsistent: it does not know a block that it has named, or returns another one.
 * The chain has reorganized, or the node lags behind another one of its pool. Nothing derived from such an
 * answer may be kept; a retry tells which it is.
 */
export class ReorgError extends Error {
  override readonly name: string = "ReorgError";
}

/**
 * The node does not give the state of a block that it knows, far behind its head: it keeps no states of old blocks, or
 * one node of a pool does not. A retry tells which it is.
 */
export class MissingStateError extends ReorgError {
  override readonly name = "MissingStateError";
}

/** The node is unreachable or returns no valid answer, after all retries. */
export class ChainError extends Error {
  override readonly name: string = "ChainError";
}

/** An answer that is none to the question: one node of a pool may be broken. A retry tells. */
export class NonsenseError extends ChainError {
  override readonly name = "NonsenseError";
}
