import type { AuditRows } from "../audit/audit-rows.js";
import {
  type Draw,
  type DrawnHolding,
  type MovedInBlock,
  mostMoves,
  mostTokensOfWallet,
} from "../audit/drawn-holdings.js";
import { nativeToken } from "../chains/native-token.js";
import type { ClickHouseStore } from "./clickhouse-store.js";
import type { ReadChain } from "./read-chain.js";
import { sumColumns, sumIn } from "./read-moves.js";
import { ofTokens } from "./wanted-tokens.js";

/** How many wallets' holdings to read together. */
const together = 500;

/** Reads tables in ClickHouse for an audit. To draw wallets, it reads all of them once. */
export function clickHouseAuditRows(store: ClickHouseStore): AuditRows {
  return {
    draw: (draw) =>
      store.read(async (reads) => {
        const filled = (await reads.chains()).find(({ chain }) => chain === draw.chain);
        const block = filled && (await reads.common(draw.chain, ["blocks", "transfers"]));
        if (!filled || !block) return undefined;
        const chain = await reads.open(draw.chain);
        const holdings = await drawnHoldings(chain, draw, block.number);
        const tokens = [...new Set(holdings.map(({ token }) => token))];
        const known = await reads.known(
          draw.chain,
          tokens.map((token) => ({ token, block: block.number })),
        );
        const symbols = new Map(known.map(({ token, symbol }) => [token, symbol]));
        return {
          block,
          holdings: holdings.map((holding) => ({ ...holding, symbol: symbols.get(holding.token) ?? null })),
          start: await startOf(chain, filled.firstBlock),
        };
      }),
    moves: (chain, holding, block) =>
      store.read(async (reads) => movesOf(await reads.open(chain), holding, block)),
    hashOf: (chain, number) => store.read(async (reads) => (await reads.block(chain, number))?.hash),
  };
}

/** The same wallets and tokens as in PostgreSQL: MD5 sorts the same as bytes and as hex. */
async function drawnHoldings(
  chain: ReadChain,
  { wallets: count, seed, tokens }: Draw,
  block: number,
): Promise<readonly Omit<DrawnHolding, "symbol">[]> {
  const token = ofTokens(tokens);
  const table = chain.table("transfers");
  const drawn = await chain.query(
    `SELECT wallet FROM (SELECT DISTINCT wallet FROM ${table} FINAL
        WHERE wallet != {zero:String} AND block_number <= {block:Int64} AND ${token.sql})
      ORDER BY MD5(concat({seed:String}, ' ', wallet)), wallet LIMIT {count:UInt64}`,
    { ...token.parameters, zero: nativeToken, block, seed, count },
  );
  const wallets = drawn.map(({ wallet }) => String(wallet));
  const found: Omit<DrawnHolding, "symbol">[] = [];
  for (let at = 0; at < wallets.length; at += together) {
    const rows = await chain.query(
      `SELECT wallet, token, ${sumColumns} FROM ${table} FINAL
        WHERE wallet IN splitByChar(',', {wallets:String}) AND block_number <= {block:Int64} AND ${token.sql}
        GROUP BY wallet, token ORDER BY wallet, MD5(concat({seed:String}, ' ', token)), token
        LIMIT ${mostTokensOfWallet} BY wallet`,
      { ...token.parameters, wallets: wallets.slice(at, at + together).join(","), block, seed },
    );
    for (const row of rows)
      found.push({ wallet: String(row.wallet), token: String(row.token), sum: sumIn(row) });
  }
  const rank = new Map(wallets.map((wallet, index) => [wallet, index]));
  return found.sort(
    (one, other) =>
      (one.token < other.token ? -1 : one.token > other.token ? 1 : 0) ||
      (rank.get(one.wallet) ?? 0) - (rank.get(other.wallet) ?? 0),
  );
}

async function movesOf(
  chain: ReadChain,
  { wallet, token }: Pick<DrawnHolding, "wallet" | "token">,
  block: number,
): Promise<readonly MovedInBlock[]> {
  const own = "wallet = {wallet:String} AND block_number <= {block:Int64} AND token = {token:String}";
  const parameters = { wallet, token, block };
  const [moves, headers] = await Promise.all([
    chain.query(
      `SELECT block_number, ${sumColumns} FROM ${chain.table("transfers")} FINAL WHERE ${own}
        GROUP BY block_number ORDER BY block_number DESC LIMIT ${mostMoves}`,
      parameters,
    ),
    chain.query(
      `SELECT number, hash, parent_hash FROM ${chain.table("blocks")} FINAL
        WHERE number IN (SELECT block_number FROM ${chain.table("transfers")} WHERE ${own})
        ORDER BY number DESC LIMIT ${mostMoves}`,
      parameters,
    ),
  ]);
  const byNumber = new Map(headers.map((header) => [Number(header.number), header]));
  return moves.flatMap((row) => {
    const number = Number(row.block_number);
    const header = byNumber.get(number);
    return header
      ? [{ number, hash: String(header.hash), parentHash: String(header.parent_hash), amount: sumIn(row) }]
      : [];
  });
}

/** The last block before the first transfers. Block 0 has none, since nothing is executed in it. */
async function startOf(
  chain: ReadChain,
  firstBlock: number,
): Promise<{ readonly number: number; readonly hash: string | undefined }> {
  const [row] = await chain.query(
    `SELECT number, hash, parent_hash FROM ${chain.table("blocks")} FINAL WHERE number = {first:Int64}`,
    { first: firstBlock },
  );
  const hash = row && String(firstBlock === 0 ? row.hash : row.parent_hash);
  return { number: Math.max(0, firstBlock - 1), hash };
}
