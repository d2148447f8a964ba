/**
 * A chain as the runtime sees it: data of an Ethereum node, decoded from JSON-RPC. Hex strings are in lower case.
 */
export interface Chain {
  /** The chain head. */
  head(): Promise<BlockPointer>;
  /**
   * The canonical block with a number, with its transactions; `undefined` beyond the head; `null` where the chain has no block
   * with this number and never will, as in a null round of Filecoin. The parent of the next block shows whether that is true.
   */
  block(number: number): Promise<Block | undefined | null>;
  /** The blocks with several numbers, in the given order; `undefined` and `null` as of `block`. */
  blocks(numbers: readonly number[]): Promise<readonly (Block | undefined | null)[]>;
  /**
   * The same block with all of its transactions; absent if the chain never returns a block that lacks some.
   * @throws ReorgError if the chain has another block with its number
   */
  wholeBlock?(block: Block): Promise<Block>;
  /** Logs of a range of blocks, both ends inclusive, that match the filter, in the order in which they were emitted. */
  logs(from: number, to: number, filter: LogFilter, cut?: LogCut): Promise<readonly Log[]>;
  /** Logs of one block, by its hash, that match the filter, in order; all logs without a filter. */
  logsOf(block: BlockPointer, filter?: LogFilter): Promise<readonly Log[]>;
  /** Calls of all kinds in a block that match the filter, in the order of execution. */
  calls(block: Block, filter: CallFilter): Promise<readonly CallTrace[]>;
  /** All traces of a block, in the order of execution; absent if the chain cannot return them. */
  traces?(block: Block): Promise<readonly Trace[]>;
  /** The receipt of a transaction; `undefined` when the chain no longer has it. */
  receipt(transaction: string): Promise<Receipt | undefined>;
  /**
   * The receipts of all transactions of a block, by its hash, in order; `undefined` when the node lacks the method.
   */
  receipts?(block: BlockPointer): Promise<readonly Receipt[] | undefined>;
  /** The same receipts in the encoding of the trie, as hex. */
  rawReceipts?(block: BlockPointer): Promise<readonly string[] | undefined>;
  /** Contract reads as of a block, answered in order. A block that no longer exists is a `ReorgError`. */
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
  /** Set if `transactions` contains only those whose logs were asked for, as from a source of history. */
  readonly lacksTransactions?: true;
  /** Bloom filter of the logs' addresses and topics; absent on chains without one. */
  readonly logsBloom?: string;
  /** 8 bytes. */
  readonly nonce?: string;
  readonly extraData?: string;
  /** Absent before the Shanghai fork. */
  readonly withdrawalsRoot?: string;
  /** Absent where the node does not return them. */
  readonly withdrawals?: readonly Withdrawal[];
  /** Only the hash of the block covers this and the fields below; absent on chains and before forks without them. */
  readonly mixHash?: string;
  readonly blobGasUsed?: bigint;
  readonly excessBlobGas?: bigint;
  readonly parentBeaconBlockRoot?: string;
  readonly requestsHash?: string;
  /**
   * Set if the header does not have the block's hash: "foreign" where the chain hashes its headers in its own way, so that
   * no header can be proved; "broken" where other headers of the chain have the hashes of their blocks.
   */
  readonly unprovedHeader?: "foreign" | "broken";
}

/** A withdrawal of a validator from the beacon chain. */
export interface Withdrawal {
  readonly index: bigint;
  readonly validatorIndex: bigint;
  readonly address: string;
  /** Gwei. */
  readonly amount: bigint;
}

export interface Transaction {
  readonly hash: string;
  readonly index: number;
  readonly from: string;
  /** Null when the transaction creates a contract. */
  readonly to: string | null;
  /** Wei. */
  readonly value: bigint;
  readonly gasLimit: bigint;
  /** Effective gas price in wei. */
  readonly gasPrice: bigint;
  readonly input: string;
  readonly nonce: bigint;
  /** Absent where the node does not say it. */
  readonly type?: number;
  /** In decimal digits. Only transactions with a type have it, and an archive leaves it out. */
  readonly chainId?: string;
  /** Wei; absent for types without it, like the fields below. */
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly maxFeePerBlobGas?: bigint;
  readonly blobVersionedHashes?: readonly string[];
  /** Wei that a rollup created for the sender of a deposit, whether or not the transaction succeeded. */
  readonly mint?: bigint;
  /** For a deposit: its origin on the parent chain. */
  readonly sourceHash?: string;
  /**
   * Only the hash covers this and the fields below. Items of RLP in hex: v or its parity, r, s; absent if it
   * is unsigned.
   */
  readonly signature?: string;
  /** A list as RLP in hex. */
  readonly accessList?: string;
  readonly authorizations?: string;
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
  /** The type of its transaction; 0 when absent. */
  readonly type?: number;
  /** Set for OP Stack deposits since Canyon. */
  readonly deposit?: { readonly nonce: bigint; readonly version: bigint };
  readonly transactionHash: string;
  readonly transactionIndex: number;
  readonly block: BlockPointer;
  /** As in its transaction; absent if the node does not report it. */
  readonly from?: string;
  readonly to?: string | null;
  readonly cumulativeGasUsed: bigint;
  readonly gasUsed: bigint;
  readonly contractAddress: string | null;
  readonly logs: readonly Log[];
  /** 1 success, 0 failure; null before the Byzantium fork. */
  readonly status: bigint | null;
  readonly root: string | null;
  readonly logsBloom: string;
  /** Wei. */
  readonly effectiveGasPrice?: bigint;
  /** The rollup's charge for the transaction's data on its parent chain. */
  readonly l1?: L1Costs;
}

/** A rollup's costs on its parent chain, as reported in its receipts. */
export interface L1Costs {
  /** Wei. */
  readonly fee?: bigint;
  readonly gasUsed?: bigint;
  readonly gasPrice?: bigint;
  /** A decimal number. */
  readonly feeScalar?: string;
  readonly blobBaseFee?: bigint;
  readonly blobBaseFeeScalar?: bigint;
  readonly baseFeeScalar?: bigint;
  /** Number of the parent chain's block. */
  readonly blockNumber?: bigint;
}

/** One contract call, as a trace shows it. Calls that failed themselves are omitted. */
export interface CallTrace {
  readonly from: string;
  readonly to: string;
  readonly input: string;
  readonly output: string;
  readonly transactionHash: string;
  readonly transactionIndex: number;
  /** Set when the whole transaction failed, so that the call was undone. */
  readonly isUndone?: true;
}

/** An action inside a transaction, or a reward for a block, with everything that a node's traces contain. */
export interface Trace {
  readonly kind: "call" | "create" | "suicide" | "reward";
  /** Null for rewards. */
  readonly transactionHash: string | null;
  readonly transactionIndex: number | null;
  readonly from: string | null;
  /** The called or created contract, or the receiver of a reward or of a balance; null for a creation that failed. */
  readonly to: string | null;
  /** Wei. */
  readonly value: bigint;
  /** The data of a call, or the code of a creation. */
  readonly input: string | null;
  /** The return value of a call, or the created code. */
  readonly output: string | null;
  /** "call", "callcode", "delegatecall" or "staticcall"; null for other kinds. */
  readonly callType: string | null;
  readonly rewardType: string | null;
  readonly gas: bigint | null;
  readonly gasUsed: bigint | null;
  /** Number of traces directly below. */
  readonly subtraces: number;
  /** The path from the transaction; empty for the transaction itself. */
  readonly address: readonly number[];
  /** In the node's words. */
  readonly error: string | null;
  /** Whether neither this trace nor one above it failed. */
  readonly succeeded: boolean;
}

/** How to split a range into queries, so that two witnesses of its logs are never cut at the same block. */
export interface LogCut {
  /**
   * Queries end at blocks with an even (0) or odd (1) number, except at the end of the range. Any other block that must
   * be queried alone is queried by its hash, because the other witness may query it by number.
   */
  readonly ends: 0 | 1;
  /**
   * Receives, for every answer, the blocks in which it may have been cut: those from its last log on.
   * @param query identifies the query of a filter; each query is cut separately
   */
  onTail(query: number, from: number, to: number): void;
}

/** A log matches when an entry matches its address and its first topic. */
export type LogFilter = readonly LogFilterEntry[];
export interface LogFilterEntry {
  /** Empty to match any address. */
  readonly addresses: readonly string[];
  /** First topics. `undefined` to match any, and logs without topics; an empty list matches no log. */
  readonly topics: readonly string[] | undefined;
}

/** A call matches when an entry contains its address and the first four bytes of its input. */
export type CallFilter = readonly CallFilterEntry[];
export interface CallFilterEntry {
  readonly address: string;
  /**
   * Empty for calls of any function; a mere transfer of value is not a call. As in graph-node, an empty list also
   * matches calls of failed transactions; a list of selectors does not.
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
 * The node's answers are inconsistent: it does not know a block that it has named, or returns a different one.
 * Either the chain has reorganized, or the node lags behind another node of its pool. Nothing derived from such an
 * answer may be kept. A retry shows which it is.
 */
export class ReorgError extends Error {
  override readonly name: string = "ReorgError";
}

/**
 * The node knows a block far behind its head, but does not return its state. Either the node keeps no state of old
 * blocks, or one node of a pool does not. A retry shows which it is.
 */
export class MissingStateError extends ReorgError {
  override readonly name = "MissingStateError";
}

/** The node is unreachable or returns no valid answer, after all retries. */
export class ChainError extends Error {
  override readonly name: string = "ChainError";
}

/** An answer that does not fit the request. One node of a pool may be broken; a retry shows whether it is. */
export class NonsenseError extends ChainError {
  override readonly name = "NonsenseError";
}
