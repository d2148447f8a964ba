import type { Block, Trace } from "../../runtime/chain/chain.js";
import type { DatasetRow } from "../tables/dataset.js";
import { longs } from "./longs.js";

/**
 * The rows of a block's traces in `raw_traces`, in execution order.
 * @throws NotInRangeError for an integer beyond 64 bits
 */
export function traceRows(block: Block, traces: readonly Trace[]): readonly DatasetRow[] {
  const long = longs(`a trace of block ${block.number}`);
  /** Rewards have no transaction to distinguish them. */
  let rewards = 0;
  return traces.map((trace) => {
    const path = trace.address.join(",");
    const place = trace.transactionHash ?? `reward_${rewards++}`;
    return {
      id: `trace_${block.hash}_${place}_${path}`,
      block_number: BigInt(block.number),
      block_hash: block.hash,
      transaction_hash: trace.transactionHash,
      transaction_index: trace.transactionIndex === null ? null : BigInt(trace.transactionIndex),
      from_address: trace.from,
      to_address: trace.to,
      value: `${trace.value}`,
      input: trace.input,
      output: trace.output,
      trace_type: trace.kind,
      call_type: trace.callType,
      reward_type: trace.rewardType,
      gas: long("gas", trace.gas),
      gas_used: long("gas_used", trace.gasUsed),
      subtraces: BigInt(trace.subtraces),
      trace_address: path,
      error: trace.error,
      status: trace.succeeded ? 1n : 0n,
      trace_id: `${trace.kind}_${trace.transactionHash ?? block.number}_${path}`,
      block_timestamp: long("block_timestamp", block.timestamp),
    };
  });
}
