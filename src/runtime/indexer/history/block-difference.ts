import type { Block, Transaction } from "../../chain/chain.js";

/** The fields that handlers see and on which all nodes agree. They differ about the total difficulty and the size. */
const headerFields = [
  "hash",
  "parentHash",
  "unclesHash",
  "author",
  "stateRoot",
  "transactionsRoot",
  "receiptsRoot",
  "gasUsed",
  "gasLimit",
  "timestamp",
  "difficulty",
  "baseFeePerGas",
  "logsBloom",
] as const satisfies readonly (keyof Block)[];

const transactionFields = [
  "index",
  "from",
  "to",
  "value",
  "gasLimit",
  "gasPrice",
  "input",
  "nonce",
] as const satisfies readonly (keyof Transaction)[];

/**
 * What differs between a block of a source of history and the same block of the node, in a few words; `undefined` if nothing
 * does.
 * @param given may lack transactions
 */
export function differenceOf(given: Block, own: Block): string | undefined {
  const field = headerFields.find((name) => given[name] !== own[name]);
  if (field !== undefined) return `headers (${field})`;
  for (const transaction of given.transactions.values()) {
    const other = own.transactions.get(transaction.hash);
    if (!other) return "transactions";
    const wrong = transactionFields.find((name) => transaction[name] !== other[name]);
    if (wrong !== undefined) return `transactions (${wrong})`;
  }
  return undefined;
}
