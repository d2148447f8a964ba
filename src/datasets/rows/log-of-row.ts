import type { Log } from "../../runtime/chain/chain.js";
import type { DatasetRow } from "../tables/dataset.js";

/** The log of a row of `raw_logs`, and the time of its block. The inverse of `logRow`. */
export function logOfRow(row: DatasetRow): { readonly log: Log; readonly timestamp: bigint } {
  const topics = String(row.topics);
  const log: Log = {
    address: String(row.address),
    topics: topics === "" ? [] : topics.split(","),
    data: String(row.data),
    block: { number: Number(row.block_number), hash: String(row.block_hash) },
    transactionHash: String(row.transaction_hash),
    transactionIndex: Number(row.transaction_index),
    logIndex: Number(row.log_index),
    removed: false,
  };
  return { log, timestamp: BigInt(row.block_timestamp as bigint) };
}
