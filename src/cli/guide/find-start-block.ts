import { visible } from "../../base/text/visible.js";
import type { Explorer } from "../../discovery/ask-explorer.js";
import { lookUpBlock } from "../../discovery/look-up-contract.js";
import { askForBlock, type ChosenChain } from "./ask-node.js";
import { askForCreation } from "./explorer.js";
import type { FoundAddress } from "./find-address.js";
import { blockProblem } from "./guide-arguments.js";
import type { Guide } from "./guide-context.js";

/**
 * Finds the block from which to index a contract: from the option, the record, the node, the explorer, or by asking.
 * A block after the contract's creation would silently leave out events, so a node must confirm it, if there is one.
 * @returns `undefined` after reporting that the option names a block that is too late
 */
export async function findStartBlock(
  found: FoundAddress,
  chain: ChosenChain,
  explorer: Explorer | undefined,
  guide: Guide,
): Promise<number | undefined> {
  const { args, answers, terminal, world } = guide;
  const { address, deployment } = found;
  const { node } = chain;
  if (args.startBlock !== undefined) return refuseLate(Number(args.startBlock), found, chain, guide);
  const recorded = await confirmRecorded(found, chain, guide);
  if (recorded !== undefined) return recorded;
  const asked = found.look && node ? await askForBlock(node, address, world, terminal) : undefined;
  if (asked !== undefined) return asked;
  const told = explorer && (await askForCreation(explorer, address, world, terminal));
  // A block before the creation is still better than none.
  const isLate = async (block: number): Promise<boolean> =>
    (await lookAtBlock(block, found, chain, guide)) === "late";
  for (const block of [told, deployment?.startBlock])
    if (block !== undefined && !(await isLate(block))) return block;
  for (;;) {
    const entered = await answers.enter(
      undefined,
      {
        text: "From which block should indexing start? Starting at its creation misses nothing.",
        option: "--start-block <number>",
      },
      { example: "0", check: blockProblem },
    );
    if (!(await isLate(Number(entered)))) return Number(entered);
    terminal.err(lateMessage(Number(entered)));
  }
}

/** The block of the record, unless a node contradicts it. */
async function confirmRecorded(
  found: FoundAddress,
  chain: ChosenChain,
  guide: Guide,
): Promise<number | undefined> {
  const block = found.deployment?.startBlock;
  if (block === undefined) return undefined;
  const look = await lookAtBlock(block, found, chain, guide);
  if (look === "late")
    guide.terminal.err(
      `${visible(found.deployment?.path ?? "The record")} is wrong: the contract already existed before block ${block}.\n`,
    );
  return look === "late" || (look === "early" && found.look) ? undefined : block;
}

async function refuseLate(
  block: number,
  found: FoundAddress,
  chain: ChosenChain,
  guide: Guide,
): Promise<number | undefined> {
  if ((await lookAtBlock(block, found, chain, guide)) !== "late") return block;
  const { terminal, world } = guide;
  terminal.err(lateMessage(block));
  const created = found.look && chain.node && (await askForBlock(chain.node, found.address, world, terminal));
  const option = created === undefined ? "an earlier --start-block" : `--start-block ${created}`;
  terminal.err(
    `Nothing was written. Pass ${option}, or omit the option. To leave out the older events on purpose, change startBlock in the file afterwards.\n`,
  );
  return undefined;
}

function lateMessage(block: number): string {
  return `The contract already existed before block ${block}, so its first events would be missing.\n`;
}

/**
 * How a block relates to the contract's creation; `unknown` without a node, and after reporting that the node does
 * not know.
 */
async function lookAtBlock(
  block: number,
  { address }: FoundAddress,
  { node }: ChosenChain,
  { terminal }: Guide,
): Promise<"exact" | "early" | "late" | "unknown"> {
  if (!node) return "unknown";
  const look = await lookUpBlock(node.client, address.toLowerCase(), block);
  if (look.kind !== "failed") return look.kind;
  terminal.err(`The node cannot confirm block ${block} as the start block: ${visible(look.why)}\n`);
  return "unknown";
}
