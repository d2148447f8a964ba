import { nativeToken } from "../chains/native-token.js";
import { type ChainTable, pipelineOf, schemaOf } from "./chain-tables.js";

/** What to fill, and which range. */
export interface Filling {
  /** The chain's name, which is the prefix of its datasets. */
  readonly chain: string;
  readonly firstBlock: number;
  /** The last block; without one, filling follows the head. */
  readonly lastBlock?: number | undefined;
  /** Whether to read native transfers as well. */
  readonly natives: boolean;
}

/** The transforms that make the rows of the tables. */
export const rowsOf = { blocks: "block_rows", transfers: "erc20_halves", natives: "native_halves" } as const;

/** The secret that names the database of the tables. */
export const databaseSecret = "DATA_TABLES";

/**
 * The position of a move within its block, as one number: the transaction, then the log, then the sending half before
 * the receiving one. A native transfer comes before all logs of its transaction, and a deposit's minted amount after
 * them.
 */
function sequence(log: string, half: 0 | 1): string {
  return `(transaction_index * 16777216 + ${log}) * 2 + ${half} AS sequence`;
}

/** After all logs of a transaction. There is no place before its native transfer: sequences are not negative. */
const mintPlace = "16777215";

/** The target of the pipeline. */
export interface PipelineTarget {
  /** The key of rows of transfers. */
  readonly movesKey: string;
  /** Whether the amounts of sending halves are negative. */
  readonly isSigned: boolean;
  readonly sinks: Readonly<Record<Exclude<ChainTable, "balances">, object>>;
}

/** The two halves of each transfer. */
function halves(
  from: string,
  isSigned: boolean,
  transfer: { readonly token: string; readonly log: string },
): string {
  const half = (wallet: string, counterparty: string, amount: string, side: 0 | 1): string =>
    `SELECT block_number, ${sequence(transfer.log, side)}, block_timestamp, transaction_hash, ${wallet} AS wallet,
      ${counterparty} AS counterparty, ${transfer.token} AS token, ${amount} AS amount FROM ${from}`;
  return `${half("sender", "recipient", isSigned ? "0 - amount" : "amount", 0)} UNION ALL ${half("recipient", "sender", "amount", 1)}`;
}

/** The definition of the pipeline that fills the tables of a chain, in PostgreSQL by default. */
export function chainPipeline(
  { chain, firstBlock, lastBlock, natives }: Filling,
  { movesKey, isSigned, sinks }: PipelineTarget = postgresTarget(chain),
): { readonly name: string } & Readonly<Record<string, unknown>> {
  const source = (kind: string, version?: string): object => ({
    type: "dataset",
    dataset_name: `${chain}.${kind}`,
    ...(version !== undefined && { version }),
    start_at: firstBlock,
    ...(lastBlock !== undefined && { end_block: lastBlock }),
  });
  return {
    name: pipelineOf(chain),
    sources: {
      headers: source("raw_blocks"),
      erc20: source("erc20_transfers"),
      ...(natives && { transactions: source("raw_transactions", "1.1.0") }),
    },
    transforms: {
      [rowsOf.blocks]: {
        type: "sql",
        primary_key: "number",
        sql: `SELECT number, timestamp, hash, parent_hash, miner AS author, size, receipts_root, transactions_root, state_root,
          sha3_uncles AS uncles_hash, transaction_count, base_fee_per_gas, gas_limit, gas_used FROM headers`,
      },
      [rowsOf.transfers]: {
        type: "sql",
        primary_key: movesKey,
        sql: halves("erc20", isSigned, { token: "address", log: "(log_index + 1)" }),
      },
      ...(natives && {
        sent: {
          type: "sql",
          primary_key: "id",
          sql: `SELECT id, block_number, transaction_index, block_timestamp, hash AS transaction_hash, from_address AS sender,
            coalesce(to_address, receipt_contract_address) AS recipient, value AS amount FROM transactions
            WHERE value > 0 AND coalesce(receipt_status, 1) = 1`,
        },
        // A rollup keeps a deposit's minted amount even if the transaction fails.
        minted: {
          type: "sql",
          primary_key: "id",
          sql: `SELECT id, block_number, transaction_index, block_timestamp, hash AS transaction_hash, '${nativeToken}' AS sender,
            from_address AS recipient, mint AS amount FROM transactions WHERE mint > 0`,
        },
        [rowsOf.natives]: {
          type: "sql",
          primary_key: movesKey,
          sql: [
            halves("sent", isSigned, { token: `'${nativeToken}'`, log: "0" }),
            halves("minted", isSigned, { token: `'${nativeToken}'`, log: mintPlace }),
          ].join(" UNION ALL "),
        },
      }),
    },
    sinks: {
      blocks: sinks.blocks,
      transfers: sinks.transfers,
      ...(natives && { natives: sinks.natives }),
    },
  };
}

function postgresTarget(chain: string): PipelineTarget {
  const sink = { schema: schemaOf(chain), secret_name: databaseSecret };
  return {
    movesKey: "block_number, sequence",
    isSigned: true,
    sinks: {
      blocks: { type: "postgres", from: rowsOf.blocks, table: "blocks", ...sink },
      transfers: {
        type: "postgres_aggregate",
        from: rowsOf.transfers,
        landing_table: "transfers",
        agg_table: "balances",
        group_by: { wallet: {}, token: {} },
        aggregate: { balance: { fn: "sum", from: "amount" } },
        ...sink,
      },
      natives: { type: "postgres", from: rowsOf.natives, table: "natives", ...sink },
    },
  };
}
