import type { LogFilter } from "../../chain/chain.js";
import type { BlockRange } from "../../indexer/logs/tails.js";

/** Fields of headers that every server has. Hashes, roots and the bloom filter prove the other data. */
const headerFields = [
  ["number", "hash", "parent_hash", "timestamp", "nonce", "sha3_uncles", "logs_bloom", "transactions_root"],
  [
    "state_root",
    "receipts_root",
    "mix_hash",
    "miner",
    "difficulty",
    "total_difficulty",
    "extra_data",
    "size",
  ],
  ["gas_limit", "gas_used", "base_fee_per_gas"],
].flat();

/** Fields that forks have added to headers. Without them, the hash of a later header cannot be recomputed. */
const laterFields = ["withdrawals_root", "blob_gas_used", "excess_blob_gas", "parent_beacon_block_root"];

/** The lists of header fields to ask for, the best first. */
export const headerChoices: readonly (readonly string[])[] = [
  [...headerFields, ...laterFields, "requests_hash"],
  [...headerFields, ...laterFields],
  headerFields,
];

const transactionFields = [
  ["block_number", "transaction_index", "hash", "from", "to", "value", "gas", "gas_price"],
  ["effective_gas_price", "input", "nonce", "type"],
].flat();

const logFields = [
  ["block_number", "log_index", "transaction_index", "transaction_hash", "address", "data"],
  ["topic0", "topic1", "topic2", "topic3"],
].flat();

/** Blocks of one answer, whose headers have about a kilobyte each. */
const mostBlocks = 5_000;

/** A filter in the form of a request: the first list has the first topics. */
export interface LogSelection {
  readonly address?: readonly string[];
  readonly topics?: readonly (readonly string[])[];
}

/** The request for the logs of an entry of a filter. */
export function logSelection({ addresses, topics }: LogFilter[number]): LogSelection {
  return {
    ...(addresses.length > 0 && { address: addresses }),
    ...(topics && { topics: [topics] }),
  };
}

/** The body of a request for a page of blocks. @param header the fields of headers */
export function pageQuery(
  { from, to }: BlockRange,
  logs: readonly LogSelection[],
  header: readonly string[],
): object {
  return {
    from_block: from,
    // This one is not in the answer.
    to_block: to + 1,
    include_all_blocks: true,
    max_num_blocks: mostBlocks,
    logs,
    field_selection: { block: header, transaction: transactionFields, log: logFields },
  };
}
