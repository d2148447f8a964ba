import { type Block, type Chain, ReorgError } from "../chain/chain.js";
import type { ActiveSource } from "./active-source.js";
import { callFilterOf, logFilterOf } from "./active-sources.js";
import type { BlockTriggers } from "./block-runner.js";

/** What a block holds for sources that were created in it. @throws ReorgError */
export async function triggersFor(
  chain: Chain,
  sources: readonly ActiveSource[],
  block: Block,
): Promise<BlockTriggers> {
  const logs = logFilterOf(sources);
  const calls = callFilterOf(sources);
  const [foundLogs, foundCalls] = await Promise.all([
    logs.length > 0 ? chain.logs(block.number, block.number, logs) : [],
    calls.length > 0 ? chain.calls(block, calls) : [],
  ]);
  if (foundLogs.some((log) => log.block.hash !== block.hash)) {
    throw new ReorgError(`the logs of block ${block.number} are of another block`);
  }
  return { logs: foundLogs, calls: foundCalls };
}
