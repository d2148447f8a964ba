import type { MarkKind } from "../catalog/token-marks.js";
import type { MovedInBlock } from "./drawn-holdings.js";

/** A balance that differs from the sum of its transfers, and the facts for finding the cause. */
export interface Difference {
  readonly wallet: string;
  /** The block at which the two differ. */
  readonly block: { readonly number: number; readonly hash: string };
  /** The sum of the transfers in the tables up to the block. */
  readonly sum: bigint;
  /** The contract's answer at the block. */
  readonly balance: bigint;
  /** The blocks with transfers, the newest first; without the oldest ones if `isWhole` is false. */
  readonly moves: readonly MovedInBlock[];
  readonly isWhole: boolean;
  /** The last block before the first transfers of the tables; without a hash if it is not known. */
  readonly start: { readonly number: number; readonly hash: string | undefined };
}

/** The explanation of a difference. */
export interface Cause {
  readonly kind: Exclude<MarkKind, "unreliable">;
  /** A sentence. */
  readonly evidence: string;
}

/** A moment at which to compare balance and sum: before or after a block. */
interface Checkpoint {
  readonly hash: string;
  readonly number: number;
  readonly sum: bigint;
}

/**
 * Finds why a balance differs from its transfers: bisects to the last step after which they differ as they do now. A
 * step is a block with transfers, or the time between two such blocks.
 * @param balanceAt the balance after the block with a hash; `undefined` if the node has no state for that block
 * @returns `differs` if the state that would decide is unavailable
 */
export async function findCause(
  difference: Difference,
  balanceAt: (blockHash: string) => Promise<bigint | undefined>,
): Promise<Cause> {
  const { wallet, sum, balance, start, block, isWhole } = difference;
  const gap = balance - sum;
  const checkpoints = checkpointsOf(difference);
  const unknown: Cause = {
    kind: "differs",
    evidence: `The transfers of ${wallet} add up to ${sum} at block ${block.number}, and balanceOf gives ${balance}.`,
  };
  const before = start.hash === undefined ? undefined : await balanceAt(start.hash);
  if (before === gap)
    return {
      kind: "pre_history",
      evidence: `${wallet} held ${before} at block ${start.number}, before the transfers in the tables.`,
    };
  let low = -1;
  let lowGap = isWhole ? before : undefined;
  let lowBalance = before;
  for (let high = checkpoints.length - 1; ; ) {
    if (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const at = checkpoints[middle] as Checkpoint;
      const then = await balanceAt(at.hash);
      if (then !== undefined && then - at.sum === gap) high = middle;
      else {
        low = middle;
        lowBalance = then;
        lowGap = then === undefined ? undefined : then - at.sum;
      }
      continue;
    }
    const to = checkpoints[high] as Checkpoint;
    const from = checkpoints[low];
    if (lowGap === undefined || lowGap === gap || lowBalance === undefined) return unknown;
    const now = gap + to.sum;
    const moved = to.sum - (from?.sum ?? 0n);
    // Even places lie before a block, odd places after it.
    const isQuiet = high % 2 === 0;
    if (isQuiet)
      return {
        kind: "rebasing",
        evidence: `${wallet} held ${lowBalance} at block ${from?.number ?? start.number} and ${now} at block ${to.number}, without a transfer between them.`,
      };
    const change = now - lowBalance;
    // A token that moves nothing, or credits more, takes no fee.
    const isFee = change < moved && change !== 0n;
    return {
      kind: isFee ? "fee_taking" : "differs",
      evidence: stepText(wallet, to.number, moved, change),
    };
  }
}

/** Before and after each block with transfers, oldest first, and the requested block at the end. */
function checkpointsOf({ moves, sum, block }: Difference): readonly Checkpoint[] {
  const found: Checkpoint[] = [{ hash: block.hash, number: block.number, sum }];
  let later = sum;
  for (const { number, hash, parentHash, amount } of moves) {
    found.push({ hash, number, sum: later });
    later -= amount;
    found.push({ hash: parentHash, number: number - 1, sum: later });
  }
  return found.reverse();
}

function stepText(wallet: string, block: number, moved: bigint, change: bigint): string {
  const changed =
    change === 0n ? "stayed as it was" : change < 0n ? `fell by ${-change}` : `rose by ${change}`;
  return moved < 0n
    ? `At block ${block}, transfers took ${-moved} from ${wallet}, and its balance ${changed}.`
    : `At block ${block}, transfers brought ${wallet} ${moved}, and its balance ${changed}.`;
}
