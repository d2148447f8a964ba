import type { Block, Chain, Receipt } from "../chain/chain.js";
import type { Trigger } from "../values.js";
import { triggerOf } from "./make-trigger.js";
import type { Match } from "./triggers.js";

/**
 * Makes what the handlers of one block are given: for each match once, although handlers may run several times, and
 * with one question for each receipt, although its transaction may have many logs.
 * @returns what to call for each match; it throws as `triggerOf` does
 */
export function blockTriggerMaker(
  block: Block,
  chain: Pick<Chain, "receipt">,
): (match: Match) => Promise<Trigger> {
  const made = new Map<Match, Promise<Trigger>>();
  const receipts = new Map<string, Promise<Receipt | undefined>>();
  const receipt = (transaction: string): Promise<Receipt | undefined> => {
    const asked = receipts.get(transaction) ?? chain.receipt(transaction);
    receipts.set(transaction, asked);
    return asked;
  };
  return (match) => {
    const trigger = made.get(match) ?? triggerOf(match, block, { receipt });
    made.set(match, trigger);
    return trigger;
  };
}
