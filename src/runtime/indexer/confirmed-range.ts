import type { Block, BlockPointer, Log, LogFilter } from "../chain/chain.js";
import type { PatientChain } from "../chain/rpc/patient-chain.js";
import { BlockLinks } from "./block-links.js";
import { type LogStores, LogWindow } from "./log-window.js";
import type { Verification } from "./logs/verification.js";
import { lag, type StretchRange, unsettled } from "./stretch.js";

/** Blocks that are fetched at once. */
const atOnce = 25;

/** A block, and its confirmed logs that match a filter. */
export interface BlockWithLogs {
  readonly block: Block;
  readonly logs: readonly Log[];
}

/**
 * The confirmed logs of a range that match a filter, block by block: all blocks near the chain head, since they may
 * still be replaced, and settled blocks only if they have any. They are proved to belong to one chain.
 * @param chain with the blocks of the source of history, if there is one
 * @param stores the archive keeps the confirmed logs and blocks
 * @throws ReorgError when the node's answers are inconsistent; ChainError
 */
export async function confirmedRange(
  chain: PatientChain,
  { from, to, newest }: StretchRange,
  filter: LogFilter,
  verification: Verification,
  stores: LogStores = {},
): Promise<readonly BlockWithLogs[]> {
  const { archive } = stores;
  const range = { from, to, settledTo: newest - unsettled, sharedTo: newest - lag };
  const window = await LogWindow.fetchMatching(chain, filter, range, verification, stores);
  const found: BlockWithLogs[] = [];
  const numbers = wantedBlocks(window);
  const links = new BlockLinks({ chain, newest, settledTo: range.settledTo, archive, verification });
  for (let start = 0; start < numbers.length; start += atOnce) {
    const wanted = numbers.slice(start, start + atOnce);
    const blocks = await chain.blocks(wanted);
    window.checkBlocks(wanted, blocks);
    const proved = links.add(blocks);
    const confirmed = await Promise.all(
      blocks.map(async (block) => ({ block, logs: (await window.of(block)).logs })),
    );
    found.push(...confirmed);
    for (const block of proved) await archive?.keepBlock(block);
  }
  for (const block of await links.end()) await archive?.keepBlock(block);
  const logs = found.flatMap((one) => one.logs);
  const [asked] = window.asked;
  if (asked)
    await archive?.keepLogs({
      range: { from, to },
      filter,
      ...(asked.source !== undefined && { source: asked.source }),
      proof: verification.proof,
      logs,
      settledTo: range.settledTo,
      blocks: found.map(({ block }) => pointerTo(block)),
    });
  return found;
}

function pointerTo({ number, hash }: Block): BlockPointer {
  return { number, hash };
}

function wantedBlocks({ from, to, settledTo, blocks, wantsEveryBlock }: LogWindow): readonly number[] {
  const single = wantsEveryBlock ? from : Math.max(from, settledTo + 1);
  const wanted = new Set(blocks.filter((number) => number <= settledTo));
  for (let number = single; number <= to; number++) wanted.add(number);
  return [...wanted].sort((one, other) => one - other);
}
