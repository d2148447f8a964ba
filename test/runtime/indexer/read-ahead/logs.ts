import type { Log, Transaction } from "../../../../src/runtime/chain/chain.js";
import type { Block } from "../../../../src/runtime/indexer/read-ahead/id-pattern.js";

/** The parameters of an event: addresses that are indexed, and numbers that are not. */
export interface Parameters {
  readonly topics: readonly string[];
  readonly data: readonly bigint[];
}

const word = (text: string): string => text.padStart(64, "0");
const hashOf = (block: number, log: number): string =>
  `0x${word(`c${block.toString(16)}d${log.toString(16)}`)}`;

/** A block with a hundred transactions, one for each log. */
export function makeBlock(number: number): Block & { readonly hash: string } {
  const transactions = Array.from({ length: 100 }, (_, index) => {
    const from = `0x${(index + 0x1234567).toString(16).padStart(40, "e")}`;
    return { hash: hashOf(number, index), index, from, to: null } as Transaction;
  });
  const byHash = new Map(transactions.map((one) => [one.hash, one]));
  return { number, hash: `0x${word(number.toString(16))}`, transactions: byHash };
}

/** The log of an event with these parameters. @param topic that of the event */
export function makeLog(
  block: Block & { readonly hash: string },
  index: number,
  { topics, data }: Parameters,
  topic = "ab".repeat(32),
): Log {
  return {
    address: `0x${"cc".repeat(20)}`,
    topics: [topic, ...topics].map((one) => `0x${word(one)}`),
    data: `0x${data.map((value) => word(value.toString(16))).join("")}`,
    block,
    transactionHash: hashOf(block.number, index),
    transactionIndex: index,
    logIndex: index,
    removed: false,
  };
}
