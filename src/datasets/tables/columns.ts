import type { DatasetColumn } from "./dataset.js";

const string = { type: "STRING" } as const;
const long = { type: "LONG" } as const;
const decimal = { type: "DECIMAL" } as const;
const nullable = true as const;

/** What all rows of logs and of what is made of them have in common: where the log is. */
export const logPlace: readonly DatasetColumn[] = [
  { name: "block_number", ...long, description: "number of the block" },
  { name: "block_hash", ...string, description: "hash of the block" },
  { name: "block_timestamp", ...long, description: "time of the block, in seconds since 1970" },
  { name: "transaction_hash", ...string, description: "hash of the transaction" },
  { name: "transaction_index", ...long, description: "place of the transaction in its block" },
  { name: "log_index", ...long, description: "place of the log in its block" },
];

export const blockColumns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "block_<hash>" },
  { name: "number", ...long, description: "number of the block" },
  { name: "hash", ...string, description: "hash of the block" },
  { name: "parent_hash", ...string, description: "hash of the block before it" },
  { name: "nonce", ...string, nullable, description: "proof of work, 8 bytes" },
  { name: "sha3_uncles", ...string, description: "hash of the list of uncles" },
  { name: "logs_bloom", ...string, nullable, description: "bloom filter of the logs' addresses and topics" },
  { name: "transactions_root", ...string, description: "root of the trie of transactions" },
  { name: "state_root", ...string, description: "root of the trie of the state" },
  { name: "receipts_root", ...string, description: "root of the trie of receipts" },
  { name: "miner", ...string, description: "address that the fees went to" },
  { name: "difficulty", type: "DOUBLE", description: "difficulty of the block; 0 after the merge" },
  {
    name: "total_difficulty",
    type: "DOUBLE",
    description: "difficulty of the chain up to the block; 0 where the node leaves it out",
  },
  { name: "size", ...long, nullable, description: "size of the block, in bytes" },
  { name: "extra_data", ...string, nullable, description: "bytes that the block's author has chosen" },
  { name: "gas_limit", ...long, description: "most gas that the block may use" },
  { name: "gas_used", ...long, description: "gas that the block used" },
  { name: "timestamp", ...long, description: "time of the block, in seconds since 1970" },
  { name: "transaction_count", ...long, description: "number of transactions" },
  { name: "base_fee_per_gas", ...long, nullable, description: "base fee in wei; null before EIP-1559" },
  { name: "withdrawals_root", ...string, nullable, description: "root of the trie of withdrawals" },
];

export const transactionColumns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "transaction_<block hash>_<hash>" },
  { name: "hash", ...string, description: "hash of the transaction" },
  { name: "nonce", ...long, description: "number of transactions that the sender sent before" },
  { name: "block_hash", ...string, description: "hash of the block" },
  { name: "block_number", ...long, description: "number of the block" },
  { name: "transaction_index", ...long, description: "place in the block" },
  { name: "from_address", ...string, description: "sender" },
  { name: "to_address", ...string, nullable, description: "receiver; null when a contract is created" },
  { name: "value", ...decimal, description: "wei that were sent" },
  { name: "gas", ...decimal, description: "most gas that the transaction may use" },
  { name: "gas_price", ...decimal, description: "effective price of gas, in wei" },
  { name: "input", ...string, description: "data that was sent" },
  { name: "max_fee_per_gas", ...decimal, nullable, description: "most wei per gas" },
  {
    name: "max_priority_fee_per_gas",
    ...decimal,
    nullable,
    description: "most wei per gas for the block's author",
  },
  { name: "transaction_type", ...long, nullable, description: "type of the transaction (EIP-2718)" },
  { name: "block_timestamp", ...long, description: "time of the block, in seconds since 1970" },
  { name: "receipt_cumulative_gas_used", ...decimal, description: "gas used in the block up to here" },
  { name: "receipt_gas_used", ...decimal, description: "gas used by the transaction" },
  { name: "receipt_contract_address", ...string, nullable, description: "contract that was created" },
  { name: "receipt_status", ...long, nullable, description: "1 success, 0 failure; null before Byzantium" },
  {
    name: "receipt_effective_gas_price",
    ...decimal,
    nullable,
    description: "price of gas that was paid, in wei",
  },
  { name: "receipt_root_hash", ...string, nullable, description: "root of the state; null since Byzantium" },
  { name: "receipt_l1_fee", ...decimal, nullable, description: "rollups: fee on the parent chain, in wei" },
  { name: "receipt_l1_gas_used", ...decimal, nullable, description: "rollups: gas on the parent chain" },
  {
    name: "receipt_l1_gas_price",
    ...decimal,
    nullable,
    description: "rollups: price of gas on the parent chain",
  },
  { name: "receipt_l1_fee_scalar", type: "DOUBLE", nullable, description: "rollups: factor of the fee" },
  { name: "receipt_l1_blob_base_fee", ...decimal, nullable, description: "rollups: base fee of blobs" },
  { name: "receipt_l1_blob_base_fee_scalar", ...long, nullable, description: "rollups: factor of that fee" },
  {
    name: "blob_versioned_hashes",
    ...string,
    nullable,
    description: "hashes of blobs, with commas between them",
  },
  { name: "max_fee_per_blob_gas", ...decimal, nullable, description: "most wei per gas of blobs" },
  { name: "receipt_l1_block_number", ...long, nullable, description: "rollups: block of the parent chain" },
  { name: "receipt_l1_base_fee_scalar", ...long, nullable, description: "rollups: factor of the base fee" },
];

export const logColumns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "log_<block hash>_<log index>" },
  { name: "block_number", ...long, description: "number of the block" },
  { name: "block_hash", ...string, description: "hash of the block" },
  { name: "transaction_hash", ...string, description: "hash of the transaction" },
  { name: "transaction_index", ...long, description: "place of the transaction in its block" },
  { name: "log_index", ...long, description: "place of the log in its block" },
  { name: "address", ...string, description: "contract, in lower case" },
  { name: "data", ...string, description: "parameters that are not indexed" },
  { name: "topics", ...string, description: "topics, with commas between them" },
  { name: "block_timestamp", ...long, description: "time of the block, in seconds since 1970" },
];

export const traceColumns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "trace_<block hash>_<transaction hash>_<trace address>" },
  { name: "block_number", ...long, description: "number of the block" },
  { name: "block_hash", ...string, description: "hash of the block" },
  { name: "transaction_hash", ...string, nullable, description: "hash of the transaction; null for rewards" },
  { name: "transaction_index", ...long, nullable, description: "place of the transaction in its block" },
  { name: "from_address", ...string, nullable, description: "caller" },
  { name: "to_address", ...string, nullable, description: "called or created contract, or who is rewarded" },
  { name: "value", ...decimal, description: "wei that were sent" },
  { name: "input", ...string, nullable, description: "data of the call, or code of a creation" },
  { name: "output", ...string, nullable, description: "what was returned, or code that was created" },
  { name: "trace_type", ...string, description: "call, create, suicide or reward" },
  { name: "call_type", ...string, nullable, description: "call, callcode, delegatecall or staticcall" },
  { name: "reward_type", ...string, nullable, description: "block or uncle" },
  { name: "gas", ...long, nullable, description: "gas that was given" },
  { name: "gas_used", ...long, nullable, description: "gas that was used" },
  { name: "subtraces", ...long, description: "number of calls directly below" },
  {
    name: "trace_address",
    ...string,
    description: "path from the transaction, with commas; empty for itself",
  },
  { name: "error", ...string, nullable, description: "why it failed, in the node's words" },
  { name: "status", ...long, description: "1 success; 0 failure, of it or of a call above" },
  { name: "trace_id", ...string, description: "<type>_<transaction hash>_<trace address>" },
  { name: "block_timestamp", ...long, description: "time of the block, in seconds since 1970" },
];

export const decodedLogColumns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "decoded_log_<block hash>_<log index>" },
  { name: "address", ...string, description: "contract, in lower case" },
  { name: "event_signature", ...string, description: "event, such as Transfer(address,address,uint256)" },
  {
    name: "event_params",
    type: "ARRAY<STRING>",
    description: "parameters in their order: integers in decimal, bytes and addresses in hex, others as JSON",
  },
  { name: "data", ...string, description: "parameters that are not indexed" },
  { name: "topics", ...string, description: "topics, with commas between them" },
  ...logPlace,
];

export const erc20Columns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "token_transfer_<block hash>_<log index>" },
  { name: "sender", ...string, description: "who had the tokens" },
  { name: "recipient", ...string, description: "who got them" },
  { name: "amount", ...decimal, description: "amount in the token's smallest unit" },
  { name: "address", ...string, description: "token" },
  ...logPlace,
];

export const erc721Columns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "token_transfer_<block hash>_<log index>" },
  { name: "from_address", ...string, description: "who had the token" },
  { name: "to_address", ...string, description: "who got it" },
  { name: "token_id", ...decimal, description: "number of the token" },
  { name: "address", ...string, description: "contract of the token" },
  ...logPlace,
];

export const erc1155Columns: readonly DatasetColumn[] = [
  {
    name: "id",
    ...string,
    description: "token_transfer_<block hash>_<log index>; of a batch, with _<place from 1 on>",
  },
  { name: "operator", ...string, description: "who has moved the tokens" },
  { name: "from_address", ...string, description: "who had the tokens" },
  { name: "to_address", ...string, description: "who got them" },
  { name: "token_id", ...decimal, description: "number of the token" },
  { name: "amount", ...decimal, description: "how many of them, never 0" },
  { name: "address", ...string, description: "contract of the token" },
  ...logPlace,
];
