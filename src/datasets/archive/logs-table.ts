import type { Log } from "../../runtime/chain/chain.js";
import type { Column, ColumnValue, ColumnValues } from "../parquet/column.js";

export const logColumns: readonly Column[] = [
  { name: "block_number", type: "long" },
  { name: "block_hash", type: "hex" },
  { name: "transaction_hash", type: "hex" },
  { name: "transaction_index", type: "long" },
  { name: "log_index", type: "long" },
  { name: "address", type: "hex" },
  { name: "topics", type: "hex" },
  { name: "data", type: "hex" },
];

/** Characters of a topic, without "0x". */
const topicLength = 64;

/** The rows of logs, in order. Topics are concatenated without a separator. */
export function logRows(logs: readonly Log[]): ColumnValues {
  return {
    block_number: logs.map(({ block }) => BigInt(block.number)),
    block_hash: logs.map(({ block }) => block.hash),
    transaction_hash: logs.map(({ transactionHash }) => transactionHash),
    transaction_index: logs.map(({ transactionIndex }) => BigInt(transactionIndex)),
    log_index: logs.map(({ logIndex }) => BigInt(logIndex)),
    address: logs.map(({ address }) => address),
    topics: logs.map(({ topics }) => `0x${topics.map((topic) => topic.slice(2)).join("")}`),
    data: logs.map(({ data }) => data),
  };
}

/** The logs in rows from `logRows`. Neighbours share equal strings. */
export function logsOfRows(rows: ColumnValues): readonly Log[] {
  const cell = (name: string, row: number): ColumnValue => rows[name]?.[row] ?? null;
  const topicLists = new Map<string, readonly string[]>();
  const topicsOf = (text: string): readonly string[] => {
    const known = topicLists.get(text);
    if (known) return known;
    const topics = Array.from({ length: (text.length - 2) / topicLength }, (_, index) => {
      const start = 2 + index * topicLength;
      return `0x${text.slice(start, start + topicLength)}`;
    });
    topicLists.set(text, topics);
    return topics;
  };
  let block: Log["block"] | undefined;
  return (rows.block_hash ?? []).map((hash, row) => {
    const number = Number(cell("block_number", row));
    if (block?.number !== number || block.hash !== hash) block = { number, hash: String(hash) };
    return {
      address: String(cell("address", row)),
      topics: topicsOf(String(cell("topics", row))),
      data: String(cell("data", row)),
      block,
      transactionHash: String(cell("transaction_hash", row)),
      transactionIndex: Number(cell("transaction_index", row)),
      logIndex: Number(cell("log_index", row)),
      removed: false,
    };
  });
}
