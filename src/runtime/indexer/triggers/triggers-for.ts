import type { Block, Chain, Log, LogFilter } from "../../chain/chain.js";
import { wholeBlock } from "../../chain/whole-block.js";
import type { ActiveSource } from "../active-source.js";
import { callFilterOf, logFilterOf } from "../active-sources.js";
import { confirmLogs } from "../logs/confirm-logs.js";
import type { Verification } from "../logs/verification.js";
import type { BlockTriggers } from "./block-triggers.js";

/** Fetches the triggers of a block for sources that were created in it. @throws ReorgError */
export async function triggersFor(
  chain: Chain,
  sources: readonly ActiveSource[],
  block: Block,
  verification: Verification,
): Promise<BlockTriggers> {
  const logs = logFilterOf(sources);
  const calls = callFilterOf(sources);
  const [foundLogs, foundCalls] = await Promise.all([
    logs.length > 0 ? findLogs(chain, block, logs, verification) : [],
    calls.length > 0 ? chain.calls(block, calls) : [],
  ]);
  return { logs: foundLogs, calls: foundCalls };
}

async function findLogs(
  chain: Chain,
  block: Block,
  filter: LogFilter,
  verification: Verification,
): Promise<readonly Log[]> {
  const [whole, found] = await Promise.all([wholeBlock(chain, block), chain.logsOf(block, filter)]);
  return confirmLogs(chain, whole, { filter, found, isDoubtful: true }, verification);
}
