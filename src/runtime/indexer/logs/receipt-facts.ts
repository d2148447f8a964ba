import { keccak256 } from "../../../base/keccak.js";
import type { Block, Receipt, Transaction } from "../../chain/chain.js";
import { isOfBlock, isStateSync } from "../../chain/proof/receipts-root.js";
import { transactionsInOrder } from "../../chain/proof/transaction-order.js";
import { isKnownType } from "../../chain/proof/transactions-root.js";
import { bytesOfHex, rlpBytes, rlpList, rlpNumber } from "../../chain/rlp.js";
import { isNumbered } from "./log-lists.js";

/**
 * How receipts contradict the transactions of their block in what no root covers: places, parties, the created contract and
 * the price; `undefined` if they do not.
 * @param receipts one for each transaction
 */
export function wrongFacts(receipts: readonly Receipt[], block: Block): string | undefined {
  for (const receipt of receipts) {
    if (isStateSync(receipt, block) || isOfBlock(receipt, block)) continue;
    const transaction = block.transactions.get(receipt.transactionHash);
    const what =
      transaction && (wrongPlace(receipt, transaction, block) ?? wrongTerms(receipt, transaction, block));
    if (what !== undefined)
      return `the receipt of transaction ${receipt.transactionHash} in block ${block.number} has ${what}`;
  }
  const at = transactionsInOrder(block).findIndex(({ index }, place) => index !== place);
  if (at >= 0) return `the transactions of block ${block.number} are not numbered from 0 without a gap`;
  if (!isNumbered(receipts.flatMap(({ logs }) => logs)))
    return `the logs of block ${block.number} are not numbered from 0 without a gap`;
  return undefined;
}

function wrongPlace(receipt: Receipt, { index }: Transaction, { number, hash }: Block): string | undefined {
  const { transactionIndex, transactionHash, block, logs } = receipt;
  if (transactionIndex !== index) return `the index ${transactionIndex}, but its transaction has ${index}`;
  if (block.number !== number) return `the block number ${block.number}`;
  const isOther = logs.some(
    (log) =>
      log.transactionHash !== transactionHash ||
      log.transactionIndex !== index ||
      log.block.number !== number ||
      log.block.hash !== hash ||
      log.removed,
  );
  return isOther ? "logs that are of a different transaction or block" : undefined;
}

function wrongTerms(receipt: Receipt, transaction: Transaction, block: Block): string | undefined {
  const { type = transaction.type, from, to, contractAddress } = receipt;
  if (type !== transaction.type)
    return `the type ${type}, but its transaction has ${transaction.type ?? "none"}`;
  if (!isKnownType(transaction)) return undefined;
  if (from !== undefined && from !== transaction.from)
    return `the sender ${from}, but its transaction has ${transaction.from}`;
  if (to !== undefined && to !== transaction.to)
    return `the recipient ${to}, but its transaction has ${transaction.to}`;
  const created = transaction.to === null ? createdBy(transaction) : null;
  // Some nodes omit the contract of a failed creation.
  if (contractAddress !== created && (contractAddress !== null || receipt.status !== 0n))
    return `the contract ${contractAddress}, but its transaction makes ${created}`;
  const price = receipt.effectiveGasPrice ?? transaction.gasPrice;
  const wanted = priceOf(transaction, block);
  return price === wanted ? undefined : `the gas price ${price}, but its transaction makes ${wanted}`;
}

/** The address of the contract that a transaction creates. */
function createdBy({ from, nonce }: Transaction): string {
  return `0x${keccak256(rlpList([rlpBytes(bytesOfHex(from)), rlpNumber(nonce)])).slice(26)}`;
}

function priceOf(
  { gasPrice, maxFeePerGas, maxPriorityFeePerGas }: Transaction,
  { baseFeePerGas }: Block,
): bigint {
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined || baseFeePerGas === null)
    return gasPrice;
  const offered = baseFeePerGas + maxPriorityFeePerGas;
  return offered < maxFeePerGas ? offered : maxFeePerGas;
}
