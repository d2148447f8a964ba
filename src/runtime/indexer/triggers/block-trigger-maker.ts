import {
  type Block,
  type Chain,
  ChainError,
  type Log,
  type Receipt,
  ReorgError,
  type Transaction,
} from "../../chain/chain.js";
import { wholeBlock } from "../../chain/whole-block.js";
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
  chain: Pick<Chain, "receipt" | "wholeBlock">,
): (match: Match) => Promise<Trigger> {
  const made = new Map<Match, Promise<Trigger>>();
  const receipts = new Map<string, Promise<Receipt | undefined>>();
  const receipt = (transaction: string): Promise<Receipt | undefined> => {
    const asked = receipts.get(transaction) ?? chain.receipt(transaction);
    receipts.set(transaction, asked);
    return asked;
  };
  let completed: Promise<Block> | undefined;
  const whole = (): Promise<Block> => {
    completed ??= wholeBlock(chain, block);
    return completed;
  };
  return (match) => {
    const trigger = made.get(match) ?? triggerOf(match, block, { receipt, whole });
    made.set(match, trigger);
    return trigger;
  };
}

/** Data that a block may lack. */
interface TriggerChain {
  receipt(transaction: string): Promise<Receipt | undefined>;
  /** The block with all of its transactions. */
  whole(): Promise<Block>;
}

/**
 * Makes the trigger of a match.
 * @throws ReorgError when the chain no longer has the receipt
 */
async function triggerOf(match: Match, block: Block, chain: TriggerChain): Promise<Trigger> {
  if (match.kind === "block") return { kind: "block", block };
  if (match.kind === "file") return { kind: "file", content: match.content };
  if (match.kind === "entity") return { kind: "entity", entity: match.entity };
  if (match.kind === "call") {
    const { call, inputs, outputs } = match;
    const transaction = await transactionOf(call.transactionHash, call.transactionIndex, block, chain);
    return { kind: "call", call, block, transaction, inputs, outputs };
  }
  const { log, params } = match;
  const transaction = await transactionOfLog(log, block, chain);
  if (!match.receipt) return { kind: "event", log, block, transaction, params };
  const receipt = await chain.receipt(log.transactionHash);
  if (receipt?.block.hash !== block.hash)
    throw new ReorgError(`transaction ${log.transactionHash} is no longer in its block`);
  return { kind: "event", log, block, transaction, params, receipt };
}

/** Logs of the chain itself, outside of any transaction, get an empty transaction. */
async function transactionOfLog(log: Log, block: Block, chain: TriggerChain): Promise<Transaction> {
  const isSystem = log.transactionHash === zeroHash || log.transactionHash === block.hash;
  if (!isSystem) return transactionOf(log.transactionHash, log.transactionIndex, block, chain);
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

async function transactionOf(
  hash: string,
  index: number,
  block: Block,
  { whole }: TriggerChain,
): Promise<Transaction> {
  const found = block.transactions.get(hash) ?? (await whole()).transactions.get(hash);
  if (found) return found;
  throw new ChainError(`block ${block.number} does not contain its transaction ${index}, ${hash}`);
}
