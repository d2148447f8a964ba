import type { Block, Log, Receipt, Transaction } from "../../runtime/chain/chain.js";
import { transactionsInOrder } from "../../runtime/chain/proof/transaction-order.js";
import { trieRoot } from "../../runtime/chain/proof/trie-root.js";
import { withdrawalsText } from "../../runtime/chain/proof/withdrawals-text.js";
import type { DatasetRow } from "../tables/dataset.js";
import { longs } from "./longs.js";

/** The row of a block in `raw_blocks`. @throws NotInRangeError for an integer beyond 64 bits */
export function blockRow(block: Block): DatasetRow {
  const long = longs(`block ${block.number}`);
  return {
    id: `block_${block.hash}`,
    number: BigInt(block.number),
    hash: block.hash,
    parent_hash: block.parentHash,
    nonce: block.nonce ?? null,
    sha3_uncles: block.unclesHash,
    logs_bloom: block.logsBloom ?? null,
    transactions_root: block.transactionsRoot,
    state_root: block.stateRoot,
    receipts_root: block.receiptsRoot,
    miner: block.author,
    difficulty: Number(block.difficulty),
    total_difficulty: Number(block.totalDifficulty),
    size: long("size", block.size),
    extra_data: block.extraData ?? null,
    gas_limit: long("gas_limit", block.gasLimit),
    gas_used: long("gas_used", block.gasUsed),
    timestamp: long("timestamp", block.timestamp),
    transaction_count: BigInt(block.transactions.size),
    base_fee_per_gas: long("base_fee_per_gas", block.baseFeePerGas),
    withdrawals_root: block.withdrawalsRoot ?? null,
    withdrawals: withdrawalsIn(block),
    blob_gas_used: long("blob_gas_used", block.blobGasUsed),
    excess_blob_gas: long("excess_blob_gas", block.excessBlobGas),
  };
}

/**
 * The root of an empty list means no withdrawals, even if the node or an archive omits the list. Rollups put another
 * root in its place and have no withdrawals.
 */
function withdrawalsIn({ withdrawals = [], withdrawalsRoot }: Block): string | null {
  return withdrawals.length > 0 || withdrawalsRoot === noneRoot ? withdrawalsText(withdrawals) : null;
}

const noneRoot = trieRoot([]);

/**
 * The rows of a block's transactions in `raw_transactions`, in order.
 * @param receipts all receipts, by transaction hash
 * @throws NotInRangeError for an integer beyond 64 bits; Error if a receipt is missing
 */
export function transactionRows(block: Block, receipts: ReadonlyMap<string, Receipt>): readonly DatasetRow[] {
  return transactionsInOrder(block).map((transaction) => {
    const receipt = receipts.get(transaction.hash);
    if (!receipt) throw new Error(`the receipt of transaction ${transaction.hash} is missing`);
    return transactionRow(block, transaction, receipt);
  });
}

function transactionRow(block: Block, transaction: Transaction, receipt: Receipt): DatasetRow {
  const long = longs(`transaction ${transaction.hash}`);
  const { l1 = {} } = receipt;
  return {
    id: `transaction_${block.hash}_${transaction.hash}`,
    hash: transaction.hash,
    nonce: long("nonce", transaction.nonce),
    block_hash: block.hash,
    block_number: BigInt(block.number),
    transaction_index: BigInt(transaction.index),
    from_address: transaction.from,
    to_address: transaction.to,
    value: `${transaction.value}`,
    gas: `${transaction.gasLimit}`,
    gas_price: `${receipt.effectiveGasPrice ?? transaction.gasPrice}`,
    input: transaction.input,
    max_fee_per_gas: decimal(transaction.maxFeePerGas),
    max_priority_fee_per_gas: decimal(transaction.maxPriorityFeePerGas),
    transaction_type: transaction.type === undefined ? null : BigInt(transaction.type),
    block_timestamp: long("block_timestamp", block.timestamp),
    receipt_cumulative_gas_used: `${receipt.cumulativeGasUsed}`,
    receipt_gas_used: `${receipt.gasUsed}`,
    receipt_contract_address: receipt.contractAddress,
    receipt_status: long("receipt_status", receipt.status),
    receipt_effective_gas_price: decimal(receipt.effectiveGasPrice),
    receipt_root_hash: receipt.root,
    receipt_l1_fee: decimal(l1.fee),
    receipt_l1_gas_used: decimal(l1.gasUsed),
    receipt_l1_gas_price: decimal(l1.gasPrice),
    receipt_l1_fee_scalar: l1.feeScalar === undefined ? null : Number(l1.feeScalar),
    receipt_l1_blob_base_fee: decimal(l1.blobBaseFee),
    receipt_l1_blob_base_fee_scalar: long("receipt_l1_blob_base_fee_scalar", l1.blobBaseFeeScalar),
    blob_versioned_hashes: transaction.blobVersionedHashes?.join(",") ?? null,
    max_fee_per_blob_gas: decimal(transaction.maxFeePerBlobGas),
    receipt_l1_block_number: long("receipt_l1_block_number", l1.blockNumber),
    receipt_l1_base_fee_scalar: long("receipt_l1_base_fee_scalar", l1.baseFeeScalar),
    mint: decimal(transaction.mint),
    source_hash: transaction.sourceHash ?? null,
  };
}

/** The row of a log in `raw_logs`. @param timestamp of its block, in seconds since 1970 */
export function logRow(log: Log, timestamp: bigint): DatasetRow {
  return {
    id: `log_${log.block.hash}_${log.logIndex}`,
    ...logPlace(log, timestamp),
    address: log.address,
    data: log.data,
    topics: log.topics.join(","),
  };
}

/** The position of a log: columns in every dataset of logs. */
export function logPlace(log: Log, timestamp: bigint): DatasetRow {
  return {
    block_number: BigInt(log.block.number),
    block_hash: log.block.hash,
    block_timestamp: timestamp,
    transaction_hash: log.transactionHash,
    transaction_index: BigInt(log.transactionIndex),
    log_index: BigInt(log.logIndex),
  };
}

function decimal(value: bigint | undefined): string | null {
  return value === undefined ? null : `${value}`;
}
