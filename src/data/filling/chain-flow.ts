import { nativeToken } from "../chains/native-token.js";
import { flowOf, schemaOf } from "./chain-tables.js";

/** What is filled, and from where to where. */
export interface Filling {
  /** The chain's name, which is the prefix of its datasets. */
  readonly chain: string;
  readonly firstBlock: number;
  /** The last block; without one, the head is followed. */
  readonly lastBlock?: number | undefined;
  /** Whether native transfers are read as well. */
  readonly natives: boolean;
}

/** The secret that stands for the database of the tables. */
export const databaseSecret = "DATA_TABLES";

/**
 * Where a move is within its block, as one number: the transaction, then the log, then the sending half before the
 * receiving one. A native transfer comes before all logs of its transaction.
 */
function sequence(log: string, half: 0 | 1): string {
  return `(transaction_index * 16777216 + ${log}) * 2 + ${half} AS sequence`;
}

/** The two halves of each transfer. */
function halves(from: string, transfer: { readonly token: string; readonly log: string }): string {
  const half = (wallet: string, counterparty: string, amount: string, side: 0 | 1): string =>
    `SELECT block_number, ${sequence(transfer.log, side)}, block_timestamp, transaction_hash, ${wallet} AS wallet,
      ${counterparty} AS counterparty, ${transfer.token} AS token, ${amount} AS amount FROM ${from}`;
  return `${half("sender", "recipient", "0 - amount", 0)} UNION ALL ${half("recipient", "sender", "amount", 1)}`;
}

/** The definition of the flow that fills the tables of a chain. */
export function chainFlow({ chain, firstBlock, lastBlock, natives }: Filling): {
  readonly name: string;
} & Readonly<Record<string, unknown>> {
  const source = (kind: string): object => ({
    type: "dataset",
    dataset_name: `${chain}.${kind}`,
    start_at: firstBlock,
    ...(lastBlock !== undefined && { end_block: lastBlock }),
  });
  const sink = { schema: schemaOf(chain), secret_name: databaseSecret };
  return {
    name: flowOf(chain),
    sources: {
      headers: source("raw_blocks"),
      erc20: source("erc20_transfers"),
      ...(natives && { transactions: source("raw_transactions") }),
    },
    transforms: {
      block_rows: {
        type: "sql",
        primary_key: "number",
        sql: `SELECT number, timestamp, hash, parent_hash, miner AS author, size, receipts_root, transactions_root, state_root,
          sha3_uncles AS uncles_hash, transaction_count, base_fee_per_gas, gas_limit, gas_used FROM headers`,
      },
      erc20_halves: {
        type: "sql",
        primary_key: "block_number, sequence",
        sql: halves("erc20", { token: "address", log: "(log_index + 1)" }),
      },
      ...(natives && {
        sent: {
          type: "sql",
          primary_key: "id",
          sql: `SELECT id, block_number, transaction_index, block_timestamp, hash AS transaction_hash, from_address AS sender,
            coalesce(to_address, receipt_contract_address) AS recipient, value AS amount FROM transactions
            WHERE value > 0 AND coalesce(receipt_status, 1) = 1`,
        },
        native_halves: {
          type: "sql",
          primary_key: "block_number, sequence",
          sql: halves("sent", { token: `'${nativeToken}'`, log: "0" }),
        },
      }),
    },
    sinks: {
      blocks: { type: "postgres", from: "block_rows", table: "blocks", ...sink },
      transfers: {
        type: "postgres_aggregate",
        from: "erc20_halves",
        landing_table: "transfers",
        agg_table: "balances",
        group_by: { wallet: {}, token: {} },
        aggregate: { balance: { fn: "sum", from: "amount" } },
        ...sink,
      },
      ...(natives && { natives: { type: "postgres", from: "native_halves", table: "natives", ...sink } }),
    },
  };
}
