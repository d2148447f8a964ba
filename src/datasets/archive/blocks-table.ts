import { present } from "../../base/invariant.js";
import type { Block, Transaction } from "../../runtime/chain/chain.js";
import { wrongWithdrawals } from "../../runtime/chain/proof/block-proof.js";
import { withdrawalsOf, withdrawalsText } from "../../runtime/chain/proof/withdrawals-text.js";
import type { Column, ColumnValue, ColumnValues } from "../parquet/column.js";

type Cells<T> = Readonly<Record<string, CellOf<T>>>;

/** Converts an object's field to a cell of a column, and back. */
interface CellOf<T> {
  readonly column: Omit<Column, "name">;
  write(value: T): ColumnValue;
}

const hex = { type: "hex" } as const;
const hexOrNull = { type: "hex", nullable: true } as const;
const long = { type: "long" } as const;
/** Integers of up to 256 bits, in decimal digits. */
const decimal = { type: "string" } as const;
const decimalOrNull = { type: "string", nullable: true } as const;

const blockCells: Cells<Block> = {
  number: { column: long, write: ({ number }) => BigInt(number) },
  hash: { column: hex, write: ({ hash }) => hash },
  parent_hash: { column: hex, write: ({ parentHash }) => parentHash },
  sha3_uncles: { column: hex, write: ({ unclesHash }) => unclesHash },
  miner: { column: hex, write: ({ author }) => author },
  state_root: { column: hex, write: ({ stateRoot }) => stateRoot },
  transactions_root: { column: hex, write: ({ transactionsRoot }) => transactionsRoot },
  receipts_root: { column: hex, write: ({ receiptsRoot }) => receiptsRoot },
  gas_used: { column: decimal, write: ({ gasUsed }) => `${gasUsed}` },
  gas_limit: { column: decimal, write: ({ gasLimit }) => `${gasLimit}` },
  timestamp: { column: decimal, write: ({ timestamp }) => `${timestamp}` },
  difficulty: { column: decimal, write: ({ difficulty }) => `${difficulty}` },
  total_difficulty: { column: decimal, write: ({ totalDifficulty }) => `${totalDifficulty}` },
  size: { column: decimalOrNull, write: ({ size }) => textOrNull(size) },
  base_fee_per_gas: { column: decimalOrNull, write: ({ baseFeePerGas }) => textOrNull(baseFeePerGas) },
  logs_bloom: { column: hexOrNull, write: ({ logsBloom }) => logsBloom ?? null },
  nonce: { column: hexOrNull, write: ({ nonce }) => nonce ?? null },
  extra_data: { column: hexOrNull, write: ({ extraData }) => extraData ?? null },
  withdrawals_root: { column: hexOrNull, write: ({ withdrawalsRoot }) => withdrawalsRoot ?? null },
  mix_hash: { column: hexOrNull, write: ({ mixHash }) => mixHash ?? null },
  blob_gas_used: { column: decimalOrNull, write: ({ blobGasUsed }) => textOrNull(blobGasUsed) },
  excess_blob_gas: { column: decimalOrNull, write: ({ excessBlobGas }) => textOrNull(excessBlobGas) },
  parent_beacon_block_root: {
    column: hexOrNull,
    write: ({ parentBeaconBlockRoot }) => parentBeaconBlockRoot ?? null,
  },
  requests_hash: { column: hexOrNull, write: ({ requestsHash }) => requestsHash ?? null },
  withdrawals: {
    column: { type: "string", nullable: true },
    // A subgraph's run does not read withdrawals, so the header's root decides.
    write: (block) =>
      block.withdrawals && wrongWithdrawals(block, true) === undefined
        ? withdrawalsText(block.withdrawals)
        : null,
  },
  transaction_count: { column: long, write: ({ transactions }) => BigInt(transactions.size) },
};

const transactionCells: Cells<{ readonly block: number; readonly transaction: Transaction }> = {
  block_number: { column: long, write: ({ block }) => BigInt(block) },
  hash: { column: hex, write: ({ transaction }) => transaction.hash },
  transaction_index: { column: long, write: ({ transaction }) => BigInt(transaction.index) },
  from_address: { column: hex, write: ({ transaction }) => transaction.from },
  to_address: { column: hexOrNull, write: ({ transaction }) => transaction.to },
  value: { column: decimal, write: ({ transaction }) => `${transaction.value}` },
  gas: { column: decimal, write: ({ transaction }) => `${transaction.gasLimit}` },
  gas_price: { column: decimal, write: ({ transaction }) => `${transaction.gasPrice}` },
  input: { column: hex, write: ({ transaction }) => transaction.input },
  nonce: { column: decimal, write: ({ transaction }) => `${transaction.nonce}` },
  transaction_type: {
    column: { type: "long", nullable: true },
    write: ({ transaction: { type } }) => (type === undefined ? null : BigInt(type)),
  },
  max_fee_per_gas: {
    column: decimalOrNull,
    write: ({ transaction }) => textOrNull(transaction.maxFeePerGas),
  },
  max_priority_fee_per_gas: {
    column: decimalOrNull,
    write: ({ transaction }) => textOrNull(transaction.maxPriorityFeePerGas),
  },
  max_fee_per_blob_gas: {
    column: decimalOrNull,
    write: ({ transaction }) => textOrNull(transaction.maxFeePerBlobGas),
  },
  blob_versioned_hashes: {
    column: { type: "string", nullable: true },
    write: ({ transaction }) => transaction.blobVersionedHashes?.join(",") ?? null,
  },
  mint: { column: decimalOrNull, write: ({ transaction }) => textOrNull(transaction.mint) },
  source_hash: { column: hexOrNull, write: ({ transaction }) => transaction.sourceHash ?? null },
  signature: { column: hexOrNull, write: ({ transaction }) => transaction.signature ?? null },
  access_list: { column: hexOrNull, write: ({ transaction }) => transaction.accessList ?? null },
  authorizations: { column: hexOrNull, write: ({ transaction }) => transaction.authorizations ?? null },
};

export const blockColumns: readonly Column[] = columnsOf(blockCells);
export const transactionColumns: readonly Column[] = columnsOf(transactionCells);

/** The rows of blocks, and of their transactions, in order. */
export function blockRows(blocks: readonly Block[]): {
  readonly blocks: ColumnValues;
  readonly transactions: ColumnValues;
} {
  const transactions = blocks.flatMap((block) =>
    [...block.transactions.values()].map((transaction) => ({ block: block.number, transaction })),
  );
  return { blocks: rowsOf(blockCells, blocks), transactions: rowsOf(transactionCells, transactions) };
}

/**
 * The blocks in rows from `blockRows`.
 * @throws Error if the rows contradict each other
 */
export function blocksOfRows(blocks: ColumnValues, transactions: ColumnValues): readonly Block[] {
  const cell = cellsOf(blocks);
  const count = blocks.number?.length ?? 0;
  const lists = transactionsOf(transactions);
  return Array.from({ length: count }, (_, row) => {
    const number = Number(cell("number", row));
    const list = lists.get(number) ?? new Map<string, Transaction>();
    if (BigInt(list.size) !== cell("transaction_count", row))
      throw new Error(`block ${number} does not have all of its transactions`);
    return {
      number,
      hash: text(cell("hash", row)),
      parentHash: text(cell("parent_hash", row)),
      unclesHash: text(cell("sha3_uncles", row)),
      author: text(cell("miner", row)),
      stateRoot: text(cell("state_root", row)),
      transactionsRoot: text(cell("transactions_root", row)),
      receiptsRoot: text(cell("receipts_root", row)),
      gasUsed: integer(cell("gas_used", row)),
      gasLimit: integer(cell("gas_limit", row)),
      timestamp: integer(cell("timestamp", row)),
      difficulty: integer(cell("difficulty", row)),
      totalDifficulty: integer(cell("total_difficulty", row)),
      size: integerOrNull(cell("size", row)),
      baseFeePerGas: integerOrNull(cell("base_fee_per_gas", row)),
      transactions: list,
      ...presentCell("logsBloom", cell("logs_bloom", row), text),
      ...presentCell("nonce", cell("nonce", row), text),
      ...presentCell("extraData", cell("extra_data", row), text),
      ...presentCell("withdrawalsRoot", cell("withdrawals_root", row), text),
      ...presentCell("mixHash", cell("mix_hash", row), text),
      ...presentCell("blobGasUsed", cell("blob_gas_used", row), integer),
      ...presentCell("excessBlobGas", cell("excess_blob_gas", row), integer),
      ...presentCell("parentBeaconBlockRoot", cell("parent_beacon_block_root", row), text),
      ...presentCell("requestsHash", cell("requests_hash", row), text),
      ...presentCell("withdrawals", cell("withdrawals", row), (kept) => withdrawalsOf(text(kept))),
    };
  });
}

/** Transactions by block number, then by hash. */
function transactionsOf(rows: ColumnValues): ReadonlyMap<number, Map<string, Transaction>> {
  const cell = cellsOf(rows);
  const lists = new Map<number, Map<string, Transaction>>();
  for (let row = 0; row < (rows.hash?.length ?? 0); row++) {
    const block = Number(cell("block_number", row));
    const list = lists.get(block) ?? new Map<string, Transaction>();
    lists.set(block, list);
    const hash = text(cell("hash", row));
    const to = cell("to_address", row);
    list.set(hash, {
      hash,
      index: Number(cell("transaction_index", row)),
      from: text(cell("from_address", row)),
      to: to === null ? null : text(to),
      value: integer(cell("value", row)),
      gasLimit: integer(cell("gas", row)),
      gasPrice: integer(cell("gas_price", row)),
      input: text(cell("input", row)),
      nonce: integer(cell("nonce", row)),
      ...presentCell("type", cell("transaction_type", row), Number),
      ...presentCell("maxFeePerGas", cell("max_fee_per_gas", row), integer),
      ...presentCell("maxPriorityFeePerGas", cell("max_priority_fee_per_gas", row), integer),
      ...presentCell("maxFeePerBlobGas", cell("max_fee_per_blob_gas", row), integer),
      ...presentCell("blobVersionedHashes", cell("blob_versioned_hashes", row), listOf),
      ...presentCell("mint", cell("mint", row), integer),
      ...presentCell("sourceHash", cell("source_hash", row), text),
      ...presentCell("signature", cell("signature", row), text),
      ...presentCell("accessList", cell("access_list", row), text),
      ...presentCell("authorizations", cell("authorizations", row), text),
    });
  }
  return lists;
}

function columnsOf<T>(cells: Cells<T>): readonly Column[] {
  return Object.entries(cells).map(([name, { column }]) => ({ name, ...column }));
}

function rowsOf<T>(cells: Cells<T>, values: readonly T[]): ColumnValues {
  return Object.fromEntries(
    Object.entries(cells).map(([name, { write }]) => [name, values.map((value) => write(value))]),
  );
}

function cellsOf(rows: ColumnValues): (name: string, row: number) => ColumnValue {
  return (name, row) => rows[name]?.[row] ?? null;
}

/** A field that may be absent. */
function presentCell<K extends string, V>(
  key: K,
  cell: ColumnValue,
  read: (cell: ColumnValue) => V,
): Partial<Record<K, V>> {
  return cell === null ? {} : ({ [key]: read(cell) } as Record<K, V>);
}

function text(cell: ColumnValue): string {
  return String(present(cell, "a cell of the archive is empty"));
}

function integer(cell: ColumnValue): bigint {
  return BigInt(text(cell));
}

function integerOrNull(cell: ColumnValue): bigint | null {
  return cell === null ? null : integer(cell);
}

function listOf(cell: ColumnValue): readonly string[] {
  const list = text(cell);
  return list === "" ? [] : list.split(",");
}

function textOrNull(value: bigint | null | undefined): string | null {
  return value === null || value === undefined ? null : `${value}`;
}
