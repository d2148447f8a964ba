import {
  type Block,
  type Chain,
  ChainError,
  type Log,
  ReorgError,
  type Transaction,
} from "../chain/chain.js";
import type { Trigger } from "../values.js";
import type { Match } from "./triggers.js";

/**
 * Makes the trigger of a match.
 * @throws ReorgError when the chain no longer has the receipt
 */
export async function triggerOf(match: Match, block: Block, chain: Pick<Chain, "receipt">): Promise<Trigger> {
  if (match.kind === "block") return { kind: "block", block };
  if (match.kind === "file") return { kind: "file", content: match.content };
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

const zeroHash = `0x${"0".repeat(64)}`;
const zeroAddress = `0x${"0".repeat(40)}`;

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
