import type { DatasetColumn } from "./dataset.js";

const string = { type: "STRING" } as const;
const long = { type: "LONG" } as const;
const decimal = { type: "DECIMAL" } as const;
const nullable = true as const;

/** The columns for the position of a log, in all rows of logs and of data derived from them. */
export const logPlace: readonly DatasetColumn[] = [
  { name: "block_number", ...long, description: "number of the block" },
  { name: "block_hash", ...string, description: "hash of the block" },
  { name: "block_timestamp", ...long, description: "timestamp of the block, in seconds since 1970" },
  { name: "transaction_hash", ...string, description: "hash of the transaction" },
  { name: "transaction_index", ...long, description: "index of the transaction in its block" },
  { name: "log_index", ...long, description: "index of the log in its block" },
];

export const blockColumns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "block_<hash>" },
  { name: "number", ...long, description: "number of the block" },
  { name: "hash", ...string, description: "hash of the block" },
  { name: "parent_hash", ...string, description: "hash of the previous block" },
  { name: "nonce", ...string, nullable, description: "proof of work, 8 bytes" },
  { name: "sha3_uncles", ...string, description: "hash of the list of uncles" },
  { name: "logs_bloom", ...string, nullable, description: "bloom filter of the logs' addresses and topics" },
  { name: "transactions_root", ...string, description: "root of the trie of transactions" },
  { name: "state_root", ...string, description: "root of the trie of the state" },
  { name: "receipts_root", ...string, description: "root of the trie of receipts" },
  { name: "miner", ...string, description: "address that received the fees" },
  { name: "difficulty", type: "DOUBLE", description: "difficulty of the block; 0 after the merge" },
  {
    name: "total_difficulty",
    type: "DOUBLE",
    description: "difficulty of the chain up to the block; 0 if the node omits it",
  },
  { name: "size", ...long, nullable, description: "size of the block, in bytes" },
  { name: "extra_data", ...string, nullable, description: "bytes chosen by the author of the block" },
  { name: "gas_limit", ...long, description: "gas limit of the block" },
  { name: "gas_used", ...long, description: "gas that the block used" },
  { name: "timestamp", ...long, description: "timestamp of the block, in seconds since 1970" },
  { name: "transaction_count", ...long, description: "number of transactions" },
  { name: "base_fee_per_gas", ...long, nullable, description: "base fee in wei; null before EIP-1559" },
  { name: "withdrawals_root", ...string, nullable, description: "root of the trie of withdrawals" },
  {
    name: "withdrawals",
    ...string,
    nullable,
    since: "1.1.0",
    description: "list in JSON with index, validator_index, address and amount in gwei",
  },
  { name: "blob_gas_used", ...long, nullable, since: "1.1.0", description: "blob gas that the block used" },
  {
    name: "excess_blob_gas",
    ...long,
    nullable,
    since: "1.1.0",
    description: "blob gas beyond the target so far, which sets its price",
  },
];

export const transactionColumns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "transaction_<block hash>_<hash>" },
  { name: "hash", ...string, description: "hash of the transaction" },
  { name: "nonce", ...long, description: "number of earlier transactions of the sender" },
  { name: "block_hash", ...string, description: "hash of the block" },
  { name: "block_number", ...long, description: "number of the block" },
  { name: "transaction_index", ...long, description: "index in the block" },
  { name: "from_address", ...string, description: "sender" },
  { name: "to_address", ...string, nullable, description: "recipient; null if a contract is created" },
  { name: "value", ...decimal, description: "amount sent, in wei" },
  { name: "gas", ...decimal, description: "gas limit of the transaction" },
  { name: "gas_price", ...decimal, description: "effective gas price, in wei" },
  { name: "input", ...string, description: "data sent with the transaction" },
  { name: "max_fee_per_gas", ...decimal, nullable, description: "maximum fee per gas, in wei" },
  {
    name: "max_priority_fee_per_gas",
    ...decimal,
    nullable,
    description: "maximum priority fee per gas, in wei",
  },
  { name: "transaction_type", ...long, nullable, description: "type of the transaction (EIP-2718)" },
  { name: "block_timestamp", ...long, description: "timestamp of the block, in seconds since 1970" },
  {
    name: "receipt_cumulative_gas_used",
    ...decimal,
    description: "gas used in the block up to and including the transaction",
  },
  { name: "receipt_gas_used", ...decimal, description: "gas used by the transaction" },
  { name: "receipt_contract_address", ...string, nullable, description: "address of the created contract" },
  { name: "receipt_status", ...long, nullable, description: "1 success, 0 failure; null before Byzantium" },
  {
    name: "receipt_effective_gas_price",
    ...decimal,
    nullable,
    description: "gas price paid, in wei",
  },
  { name: "receipt_root_hash", ...string, nullable, description: "root of the state; null since Byzantium" },
  { name: "receipt_l1_fee", ...decimal, nullable, description: "rollups: fee on the parent chain, in wei" },
  { name: "receipt_l1_gas_used", ...decimal, nullable, description: "rollups: gas used on the parent chain" },
  {
    name: "receipt_l1_gas_price",
    ...decimal,
    nullable,
    description: "rollups: gas price of the parent chain",
  },
  { name: "receipt_l1_fee_scalar", type: "DOUBLE", nullable, description: "rollups: scalar of the fee" },
  { name: "receipt_l1_blob_base_fee", ...decimal, nullable, description: "rollups: blob base fee" },
  {
    name: "receipt_l1_blob_base_fee_scalar",
    ...long,
    nullable,
    description: "rollups: scalar of the blob base fee",
  },
  {
    name: "blob_versioned_hashes",
    ...string,
    nullable,
    description: "hashes of the blobs, separated by commas",
  },
  { name: "max_fee_per_blob_gas", ...decimal, nullable, description: "maximum fee per blob gas, in wei" },
  { name: "receipt_l1_block_number", ...long, nullable, description: "rollups: block of the parent chain" },
  { name: "receipt_l1_base_fee_scalar", ...long, nullable, description: "rollups: scalar of the base fee" },
  {
    name: "mint",
    ...decimal,
    nullable,
    since: "1.1.0",
    description: "rollups: wei that a deposit makes for its sender, even if it fails",
  },
  { name: "source_hash", ...string, nullable, since: "1.1.0", description: "rollups: origin of a deposit" },
];

export const logColumns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "log_<block hash>_<log index>" },
  { name: "block_number", ...long, description: "number of the block" },
  { name: "block_hash", ...string, description: "hash of the block" },
  { name: "transaction_hash", ...string, description: "hash of the transaction" },
  { name: "transaction_index", ...long, description: "index of the transaction in its block" },
  { name: "log_index", ...long, description: "index of the log in its block" },
  { name: "address", ...string, description: "address of the contract, in lower case" },
  { name: "data", ...string, description: "parameters that are not indexed" },
  { name: "topics", ...string, description: "topics, separated by commas" },
  { name: "block_timestamp", ...long, description: "timestamp of the block, in seconds since 1970" },
];

export const traceColumns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "trace_<block hash>_<transaction hash>_<trace address>" },
  { name: "block_number", ...long, description: "number of the block" },
  { name: "block_hash", ...string, description: "hash of the block" },
  { name: "transaction_hash", ...string, nullable, description: "hash of the transaction; null for rewards" },
  { name: "transaction_index", ...long, nullable, description: "index of the transaction in its block" },
  { name: "from_address", ...string, nullable, description: "caller" },
  {
    name: "to_address",
    ...string,
    nullable,
    description: "called or created contract, or recipient of the reward",
  },
  { name: "value", ...decimal, description: "amount sent, in wei" },
  { name: "input", ...string, nullable, description: "data of the call, or code of a creation" },
  { name: "output", ...string, nullable, description: "return value, or code of the created contract" },
  { name: "trace_type", ...string, description: "call, create, suicide or reward" },
  { name: "call_type", ...string, nullable, description: "call, callcode, delegatecall or staticcall" },
  { name: "reward_type", ...string, nullable, description: "block or uncle" },
  { name: "gas", ...long, nullable, description: "gas provided" },
  { name: "gas_used", ...long, nullable, description: "gas used" },
  { name: "subtraces", ...long, description: "number of direct child calls" },
  {
    name: "trace_address",
    ...string,
    description: "path of indexes from the outermost call, separated by commas; empty for that call",
  },
  { name: "error", ...string, nullable, description: "reason for the failure, as the node gives it" },
  { name: "status", ...long, description: "1 success; 0 failure, of the call or of one that encloses it" },
  { name: "trace_id", ...string, description: "<type>_<transaction hash>_<trace address>" },
  { name: "block_timestamp", ...long, description: "timestamp of the block, in seconds since 1970" },
];

export const decodedLogColumns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "decoded_log_<block hash>_<log index>" },
  { name: "address", ...string, description: "address of the contract, in lower case" },
  { name: "event_signature", ...string, description: "event, such as Transfer(address,address,uint256)" },
  {
    name: "event_params",
    type: "ARRAY<STRING>",
    description: "parameters in order: integers in decimal, bytes and addresses in hex, others as JSON",
  },
  { name: "data", ...string, description: "parameters that are not indexed" },
  { name: "topics", ...string, description: "topics, separated by commas" },
  ...logPlace,
];

export const erc20Columns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "token_transfer_<block hash>_<log index>" },
  { name: "sender", ...string, description: "sender of the tokens" },
  { name: "recipient", ...string, description: "recipient of the tokens" },
  { name: "amount", ...decimal, description: "amount in the token's smallest unit" },
  { name: "address", ...string, description: "contract of the token" },
  ...logPlace,
];

export const erc721Columns: readonly DatasetColumn[] = [
  { name: "id", ...string, description: "token_transfer_<block hash>_<log index>" },
  { name: "from_address", ...string, description: "previous owner" },
  { name: "to_address", ...string, description: "new owner" },
  { name: "token_id", ...decimal, description: "id of the token" },
  { name: "address", ...string, description: "contract of the token" },
  ...logPlace,
];

export const erc1155Columns: readonly DatasetColumn[] = [
  {
    name: "id",
    ...string,
    description: "token_transfer_<block hash>_<log index>; in a batch followed by _<position, from 1>",
  },
  { name: "operator", ...string, description: "address that moved the tokens" },
  { name: "from_address", ...string, description: "sender of the tokens" },
  { name: "to_address", ...string, description: "recipient of the tokens" },
  { name: "token_id", ...decimal, description: "id of the token" },
  { name: "amount", ...decimal, description: "amount of the token, never 0" },
  { name: "address", ...string, description: "contract of the token" },
  ...logPlace,
];
