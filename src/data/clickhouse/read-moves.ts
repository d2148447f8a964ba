import type { ClickHouseRow } from "../../pipelines/sinks/clickhouse-server.js";
import { nativeToken } from "../chains/native-token.js";
import type { Move, MoveQuestion } from "../reads/data-reads.js";
import { endOf, lastVersions, type Parameters, type ReadChain } from "./read-chain.js";
import { type TimeBounds, timeBounds } from "./time-bounds.js";
import { ofTokens } from "./wanted-tokens.js";

/** A move without facts about its token and addresses. */
export type BareMove = Pick<
  Move,
  "block" | "sequence" | "timestamp" | "transaction" | "counterparty" | "token" | "amount" | "type"
>;

/** The table with the moves of a type, and the range that is still unread. */
interface MovePart {
  readonly category: "transfers" | "natives";
  readonly type: BareMove["type"];
  /** The first and the last block. */
  readonly low: number;
  readonly high: number;
  /** The last row that was read. */
  readonly after?: ClickHouseRow;
  /** Most rows. */
  readonly limit: number;
}

/** The key of the rows of a wallet. */
const moveKey = ["block_number", "sequence", "token"] as const;

/**
 * Reads what a wallet moved, of each type in order.
 * @param tokens only these; `undefined` for all
 * @throws ClickHouseError; ReplacedRows; Refusal for too many tokens
 */
export async function readMoves(
  chain: ReadChain,
  tokens: readonly string[] | undefined,
  question: MoveQuestion,
): Promise<readonly BareMove[]> {
  const { types, from = 0, to, since, until, below, above, limit } = question;
  const isAscending = above !== undefined;
  const times = timeBounds(chain, since, until);
  // The row versions that find blocks by time may be gone.
  if (since !== undefined || until !== undefined) chain.doubt();
  // Native transfers have a single token.
  const wanted = types.filter((type) => type !== "native" || !tokens || tokens.includes(nativeToken));
  const parts = wanted.map((type): MovePart => {
    const category = type === "erc20" ? "transfers" : "natives";
    const high = Math.min(to, endOf(chain, category), below?.block ?? to);
    return { category, type, low: Math.max(0, from, above?.block ?? 0), high, limit };
  });
  const read = movesReader(chain, tokens, question, times);
  const moves = new Map(types.map((type): [BareMove["type"], BareMove[]] => [type, []]));
  // Reads row versions in order, and only up to the limit. FINAL would read the whole range.
  let left = parts.filter(({ low, high }) => low <= high);
  while (left.length > 0) {
    const rows = await read(left);
    left = left.flatMap((part) => {
      const versions = rows.filter(({ type }) => type === part.type).sort(byKey(isAscending));
      const own = moves.get(part.type);
      const live = lastVersions(versions, (row) => moveKey.map((name) => String(row[name])).join(" "))
        .map((row) => moveIn(row, part.type))
        .filter(({ timestamp }) => times.isWithin(timestamp));
      own?.push(...live);
      const after = versions.at(-1);
      const missing = limit - (own?.length ?? 0);
      if (!after || versions.length < part.limit || missing <= 0) return [];
      const last = Number(after.block_number);
      return [{ ...part, ...(isAscending ? { low: last } : { high: last }), after, limit: missing }];
    });
  }
  return types.flatMap((type) => moves.get(type)?.slice(0, limit) ?? []);
}

/** Reads row versions of some types in one statement. */
function movesReader(
  chain: ReadChain,
  tokens: readonly string[] | undefined,
  { wallet, direction, since, until, below, above }: MoveQuestion,
  times: TimeBounds,
): (parts: readonly MovePart[]) => Promise<readonly ClickHouseRow[]> {
  const token = ofTokens(tokens);
  const conditions = [
    "wallet = {wallet:String}",
    token.sql,
    ...(since === undefined ? [] : [`block_number >= ${times.firstBlock}`]),
    ...(until === undefined ? [] : [`block_number <= ${times.lastBlock}`]),
    ...(direction ? [`sequence % 2 = ${direction === "in" ? 1 : 0}`] : []),
    ...(below ? ["(block_number, sequence) < ({below_block:Int64}, {below_sequence:Int64})"] : []),
    ...(above ? ["(block_number, sequence) >= ({above_block:Int64}, {above_sequence:Int64})"] : []),
  ].join(" AND ");
  const shared: Parameters = {
    wallet,
    ...token.parameters,
    ...(since !== undefined || until !== undefined ? times.parameters : {}),
    ...(below && { below_block: below.block, below_sequence: below.sequence }),
    ...(above && { above_block: above.block, above_sequence: above.sequence }),
  };
  const [order, beyond] = above ? ["ASC", ">"] : ["DESC", "<"];
  return (parts) => {
    const statements = parts.map(
      ({
        category,
        type,
        after,
      }) => `SELECT '${type}' AS type, block_number, sequence, token, block_timestamp,
          transaction_hash, counterparty, toString(amount) AS amount, version, is_deleted
        FROM ${chain.table(category)} WHERE ${conditions}
          AND block_number BETWEEN {low_${type}:Int64} AND {high_${type}:Int64}
          ${after ? `AND (block_number, sequence, token) ${beyond} ({block_${type}:Int64}, {sequence_${type}:Int64}, {token_${type}:String})` : ""}
        ORDER BY ${moveKey.map((name) => `${name} ${order}`).join(", ")}, version DESC LIMIT {limit_${type}:UInt64}`,
    );
    const own = parts.flatMap(({ type, low, high, limit, after }): (readonly [string, string | number])[] => [
      ...([
        [`low_${type}`, low],
        [`high_${type}`, high],
        [`limit_${type}`, limit],
      ] as const),
      ...(after
        ? ([
            [`block_${type}`, Number(after.block_number)],
            [`sequence_${type}`, Number(after.sequence)],
            [`token_${type}`, String(after.token)],
          ] as const)
        : []),
    ]);
    return chain.versions(
      statements.map((statement) => `(${statement})`).join(" UNION ALL "),
      { ...shared, ...Object.fromEntries(own) },
      ({ type }) => (type === "erc20" ? "transfers" : "natives"),
    );
  };
}

/** The order in which rows are read. */
function byKey(isAscending: boolean): (one: ClickHouseRow, other: ClickHouseRow) => number {
  const up = (one: ClickHouseRow, other: ClickHouseRow): number =>
    Number(one.block_number) - Number(other.block_number) ||
    Number(one.sequence) - Number(other.sequence) ||
    (String(one.token) < String(other.token) ? -1 : one.token === other.token ? 0 : 1);
  return isAscending ? up : (one, other) => up(other, one);
}

/**
 * A wallet's holdings according to its transfers.
 * @throws ClickHouseError; Refusal for too many tokens
 */
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
 * Columns with the sum of rows of transfers, for `sumIn`. Amounts have 256 bits, and so have sums: halves of amounts
 * are added up separately, so that they cannot overflow.
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
