import { bigInteger, columns, integer, nullable, text } from "../../store/database/columns.js";
import { type Row, SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { nativeToken } from "../chains/native-token.js";
import { tableOf } from "../filling/chain-tables.js";
import { knownTokens, symbol } from "../reads/token-sql.js";

/** Which wallets to draw. */
export interface Draw {
  readonly chain: string;
  /** How many to draw. */
  readonly wallets: number;
  /** A different seed draws different wallets. */
  readonly seed: string;
  /** Only these tokens count; in lower case. */
  readonly tokens?: readonly string[] | undefined;
}

/** A drawn wallet's holding of a token according to its transfers. */
export interface DrawnHolding {
  readonly wallet: string;
  readonly token: string;
  readonly sum: bigint;
  readonly symbol: string | null;
}

/** A wallet's moves of one token in a block. */
export interface MovedInBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Negative if more was sent than received. */
  readonly amount: bigint;
}

/** The most tokens of a wallet to examine. */
export const mostTokensOfWallet = 500;
/** The most blocks to examine for a wallet and a token: the newest. */
export const mostMoves = 4_096;

const holdingRow = columns({ wallet: text, token: text, sum: bigInteger, symbol: nullable(text) });
const movedRow = columns({ number: integer, hash: text, parentHash: text, amount: bigInteger });

/**
 * Draws wallets, and adds up their transfers up to a block. It draws the wallets with the smallest MD5 of the seed, a
 * blank and the address, among all that have moved one of the tokens. If a wallet has too many tokens, some are drawn
 * in the same way. The zero address is excluded, since it mints and burns.
 * @throws DatabaseError
 */
export async function drawHoldings(
  sql: Sql,
  { chain, wallets, seed, tokens }: Draw,
  block: number,
): Promise<readonly DrawnHolding[]> {
  const [balances, transfers] = [tableOf(chain, "balances"), tableOf(chain, "transfers")];
  const counts = tokens ? SQL`token = any($6::text[])` : SQL`true`;
  const rows = await sql.query(
    SQL`with drawn as (
        select wallet from (select distinct wallet from ${balances} where wallet <> $5::text and ${counts}) every
        order by md5($1::text || ' ' || wallet), wallet limit $2::integer)
      select t.wallet, t.token, ${symbol} as symbol, t.balance - coalesce((
          select sum(moved.amount) from ${transfers} moved
          where moved.wallet = t.wallet and moved.token = t.token and moved.block_number > $3::bigint), 0) as sum
      from drawn cross join lateral (
        select wallet, token, balance from ${balances} where wallet = drawn.wallet and ${counts}
        order by md5($1::text || ' ' || token), token limit 500) t
      ${knownTokens(SQL`$4`, SQL`$3::bigint`)}
      order by t.token, md5($1::text || ' ' || t.wallet), t.wallet`,
    [seed, String(wallets), String(block), chain, nativeToken, ...(tokens ? [arrayText(tokens)] : [])],
  );
  return rows.map(holdingRow.read);
}

/** The blocks in which a wallet moved a token, up to a block, the newest first. @throws DatabaseError */
export async function movesOfHolding(
  sql: Sql,
  chain: string,
  { wallet, token }: Pick<DrawnHolding, "wallet" | "token">,
  block: number,
): Promise<readonly MovedInBlock[]> {
  const rows: readonly Row[] = await sql.query(
    SQL`select b.number, b.hash, b.parent_hash, moved.amount from (
        select block_number, sum(amount) as amount from ${tableOf(chain, "transfers")}
        where wallet = $1::text and token = $2::text and block_number <= $3::bigint
        group by block_number order by block_number desc limit $4::integer) moved
      join ${tableOf(chain, "blocks")} b on b.number = moved.block_number order by b.number desc`,
    [wallet, token, String(block), String(mostMoves)],
  );
  return rows.map(movedRow.read);
}

/**
 * The last block before the first transfers of the tables. Block 0 has none, since nothing is executed in it. @throws
 * DatabaseError
 */
export async function startOf(
  sql: Sql,
  chain: string,
  firstBlock: number,
): Promise<{ readonly number: number; readonly hash: string | undefined }> {
  const [row] = await sql.query(
    SQL`select case when number = 0 then hash else parent_hash end as hash
      from ${tableOf(chain, "blocks")} where number = $1::bigint`,
    [String(firstBlock)],
  );
  return { number: Math.max(0, firstBlock - 1), hash: row?.hash ?? undefined };
}
