import type { Block, Chain, Receipt } from "../chain/chain.js";
import type { Trigger } from "../values.js";
import { triggerOf } from "./make-trigger.js";
import type { Match } from "./triggers.js";

/**
 * Makes the triggers of one block. It makes the trigger of each match once, although its handler may run several times,
 * and fetches each receipt once, although its transaction may have many logs.
 * @returns a function from a match to its trigger; it throws the same errors as `triggerOf`
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
