import type { ClickHouseRow } from "../../flows/sinks/clickhouse-server.js";
import type { Move, MoveQuestion } from "../reads/data-reads.js";
import type { BlockRange } from "./read-blocks.js";
import { endOf, type Parameters, type ReadChain } from "./read-chain.js";
import { ofTokens } from "./wanted-tokens.js";

/** A move without what is known of its token and of addresses. */
export type BareMove = Pick<
  Move,
  "block" | "sequence" | "timestamp" | "transaction" | "counterparty" | "token" | "amount" | "type"
>;

/**
 * Reads what a wallet moved, of one type.
 * @param tokens those that are wanted; `undefined` for all
 * @param question with the range of blocks that its numbers and times leave
 * @throws ClickHouseError; Refusal for too many tokens
 */
export async function readMoves(
  chain: ReadChain,
  type: "erc20" | "native",
  tokens: readonly string[] | undefined,
  question: MoveQuestion & { readonly range: Pick<BlockRange, "low" | "high"> },
): Promise<readonly BareMove[]> {
  const { wallet, direction, range: times, below, above, limit } = question;
  const category = type === "erc20" ? "transfers" : "natives";
  const table = chain.table(category);
  const places: Parameters = {
    ...(below && { below_block: below.block, below_sequence: below.sequence }),
    ...(above && { above_block: above.block, above_sequence: above.sequence }),
  };
  const token = ofTokens(tokens);
  const conditions = [
    "wallet = {wallet:String}",
    "block_number BETWEEN {low:Int64} AND {high:Int64}",
    token.sql,
    ...(direction ? [`sequence % 2 = ${direction === "in" ? 1 : 0}`] : []),
    ...(below ? ["(block_number, sequence) < ({below_block:Int64}, {below_sequence:Int64})"] : []),
    ...(above ? ["(block_number, sequence) >= ({above_block:Int64}, {above_sequence:Int64})"] : []),
  ].join(" AND ");
  const isAscending = above !== undefined;
  const order = isAscending ? "ASC" : "DESC";
  let low = Math.max(times.low, above?.block ?? 0);
  let high = Math.min(times.high, endOf(chain, category), below?.block ?? times.high);
  const rows: ClickHouseRow[] = [];
  while (low <= high && rows.length < limit) {
    const parameters = { ...token.parameters, ...places, wallet, low, high, limit: limit - rows.length };
    // The places of rows and of their old versions are read in order, and no further than the limit. FINAL reads a whole range.
    const found = await chain.query(
      `SELECT block_number FROM ${table} WHERE ${conditions}
        ORDER BY block_number ${order}, sequence ${order} LIMIT {limit:UInt64}`,
      parameters,
    );
    const last = Number(found.at(-1)?.block_number);
    if (found.length === 0) break;
    const range = isAscending ? { low, high: last } : { low: last, high };
    const live = await chain.query(
      `SELECT block_number, sequence, block_timestamp, transaction_hash, counterparty, token, toString(amount) AS amount
        FROM ${table} FINAL WHERE ${conditions}
        ORDER BY block_number ${order}, sequence ${order} LIMIT {limit:UInt64}`,
      { ...parameters, ...range },
    );
    rows.push(...live);
    if (found.length < parameters.limit) break;
    if (isAscending) low = last + 1;
    else high = last - 1;
  }
  return rows.map((row) => moveIn(row, type));
}

/** What a wallet held by its transfers. @throws ClickHouseError; Refusal for too many tokens */
export async function readSums(
  chain: ReadChain,
  question: { readonly wallet: string; readonly block: number },
  tokens: readonly string[] | undefined,
  most: number,
): Promise<readonly { readonly token: string; readonly sum: bigint }[]> {
  if (tokens?.length === 0) return [];
  const { wallet, block } = question;
  const token = ofTokens(tokens);
  const rows = await chain.query(
    `SELECT token, ${sumColumns} FROM ${chain.table("transfers")} FINAL
      WHERE wallet = {wallet:String} AND block_number <= {block:Int64} AND ${token.sql}
      GROUP BY token ORDER BY token LIMIT {most:UInt64}`,
    { ...token.parameters, wallet, block: Math.min(block, endOf(chain, "transfers")), most },
  );
  return rows.map((row) => ({ token: String(row.token), sum: sumIn(row) }));
}

const signed = (half: string): string => `toString(sum(if(sequence % 2 = 1, 1, -1) * toInt256(${half})))`;
/**
 * Columns with the sum of rows of transfers, for `sumIn`. Amounts have 256 bits, and so have sums: halves of amounts are added
 * up, which leaves room for all of them.
 */
export const sumColumns = `${signed("bitAnd(amount, toUInt256('340282366920938463463374607431768211455'))")} AS low,
  ${signed("bitShiftRight(amount, 128)")} AS high`;

/** The sum in a row with `sumColumns`. */
export function sumIn({ low, high }: ClickHouseRow): bigint {
  return (BigInt(String(high)) << 128n) + BigInt(String(low));
}

function moveIn(row: ClickHouseRow, type: "erc20" | "native"): BareMove {
  const sequence = Number(row.sequence);
  const amount = BigInt(String(row.amount));
  return {
    block: Number(row.block_number),
    sequence,
    timestamp: Number(row.block_timestamp),
    transaction: String(row.transaction_hash),
    counterparty: String(row.counterparty),
    token: String(row.token),
    amount: sequence % 2 === 1 ? amount : -amount,
    type,
  };
}
