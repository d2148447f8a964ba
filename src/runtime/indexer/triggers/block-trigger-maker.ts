import {
  type Block,
  type Chain,
  ChainError,
  type Log,
  type Receipt,
  ReorgError,
  type Transaction,
} from "../../chain/chain.js";
import type { Trigger } from "../../values.js";
import type { Match } from "./triggers.js";

const zeroHash = `0x${"0".repeat(64)}`;

const zeroAddress = `0x${"0".repeat(40)}`;

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

/**
 * Makes the trigger of a match.
 * @throws ReorgError when the chain no longer has the receipt
 */
async function triggerOf(match: Match, block: Block, chain: Pick<Chain, "receipt">): Promise<Trigger> {
  if (match.kind === "block") return { kind: "block", block };
  if (match.kind === "file") return { kind: "file", content: match.content };
  if (match.kind === "entity") return { kind: "entity", entity: match.entity };
  if (match.kind === "call") {
    const { call, inputs, outputs } = match;
    const transaction = transactionOf(call.transactionHash, call.transactionIndex, block);
    return { kind: "call", call, block, transaction, inputs, outputs };
  }
  const { log, params } = match;
  const transaction = transactionOfLog(log, block);
  if (!match.receipt) return { kind: "event", log, block, transaction, params };
  const receipt = await chain.receipt(log.transactionHash);
  if (receipt?.block.hash !== block.hash)
    throw new ReorgError(`transaction ${log.transactionHash} is no longer in its block`);
  return { kind: "event", log, block, transaction, params, receipt };
}

/** Logs of the chain itself, outside of any transaction, get an empty transaction. */
function transactionOfLog(log: Log, block: Block): Transaction {
  const isSystem = log.transactionHash === zeroHash || log.transactionHash === block.hash;
  if (!isSystem) return transactionOf(log.transactionHash, log.transactionIndex, block);
  return {
    hash: log.transactionHash,
    index: log.transactionIndex,
    from: zeroAddress,
    to: null,
    value: 0n,
    gasLimit: 0n,
    gasPrice: 0n,
    input: "0x",
    nonce: 0n,
  };
}

function transactionOf(hash: string, index: number, block: Block): Transaction {
  const found = block.transactions.get(hash);
  if (found) return found;
  throw new ChainError(`block ${block.number} does not contain its transaction ${index}, ${hash}`);
}
