import { cell } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { listsOf } from "./lists-of.js";
import { notePriced } from "./note-priced.js";

/** An operator's facts about a token. */
export interface TokenFacts {
  readonly chain: string;
  readonly token: string;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number | null;
  readonly logoUrl: string | null;
  /** Tokens with the same id share prices. */
  readonly canonicalId: string | null;
  readonly isStable: boolean;
  /**
   * Whether deposits and withdrawals of native coins emit no transfers; null if the registry does not say.
   */
  readonly wrapsNative: boolean | null;
  /** Whether this takes precedence over the contract's answer. */
  readonly overrides: boolean;
}

/** A token contract's own facts. */
export type TokenMetadata = Pick<TokenFacts, "chain" | "token" | "symbol" | "name" | "decimals">;

/** Metadata with the blocks at which the contract returned it. */
export interface DatedMetadata extends TokenMetadata {
  /** The block from which it is valid. */
  readonly fromBlock: number;
  /** The newest block at which the contract was asked, and the time in seconds since 1970. */
  readonly askedBlock: number;
  readonly askedAt: number;
}

/** A price in US dollars at a time. */
export interface PriceRow {
  readonly chain: string;
  readonly token: string;
  /** Seconds since 1970; stored by the minute. */
  readonly time: number;
  /** Decimal digits. */
  readonly usd: string;
  readonly source: string;
}

/** The name of an address, on one chain or, with an empty chain, on all. */
export interface LabelRow {
  readonly chain: string;
  readonly address: string;
  readonly label: string;
}

/** The width of a price bucket in seconds. */
export const bucketSeconds = 60;

/** The given tokens whose contracts have not been asked yet. @throws DatabaseError */
export async function unaskedTokens(
  sql: Sql,
  chain: string,
  tokens: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select given.token from unnest($2::text[]) given (token)
      where not exists (select 1 from graphloom.data_tokens m where m.chain = $1::text and m.token = given.token)`,
    [chain, arrayText(tokens)],
  );
  return rows.map((row) => cell(row, "token"));
}

/**
 * Writes registry entries of tokens, replacing earlier ones. @param isNewOnly skips existing tokens @throws
 * DatabaseError
 */
export async function writeRegistry(sql: Sql, rows: readonly TokenFacts[], isNewOnly = false): Promise<void> {
  const change = isNewOnly
    ? SQL`nothing`
    : SQL`update set symbol = excluded.symbol, name = excluded.name, decimals = excluded.decimals,
        logo_url = excluded.logo_url, canonical_id = excluded.canonical_id, is_stable = excluded.is_stable,
        wraps_native = excluded.wraps_native, overrides = excluded.overrides`;
  await sql.query(
    SQL`insert into graphloom.data_registry (chain, token, symbol, name, decimals, logo_url, canonical_id, is_stable, wraps_native, overrides)
      select distinct on (1, 2) * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::boolean[],
        $9::boolean[], $10::boolean[])
      on conflict (chain, token) do ${change}`,
    listsOf(rows, [
      ...(["chain", "token", "symbol", "name", "decimals", "logoUrl", "canonicalId"] as const),
      ...(["isStable", "wrapsNative", "overrides"] as const),
    ]),
  );
}

/**
 * Writes contracts' own facts, and replaces those from the same blocks.
 * @throws DatabaseError
 */
export async function writeMetadata(sql: Sql, rows: readonly DatedMetadata[]): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.data_tokens (chain, token, symbol, name, decimals, from_block, asked_block, asked_at)
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::bigint[], $7::bigint[], $8::bigint[])
      on conflict (chain, token, from_block) do update set symbol = excluded.symbol, name = excluded.name,
        decimals = excluded.decimals, asked_block = excluded.asked_block, asked_at = excluded.asked_at`,
    listsOf(rows, [
      ...(["chain", "token", "symbol", "name", "decimals"] as const),
      ...(["fromBlock", "askedBlock", "askedAt"] as const),
    ]),
  );
}

/**
 * Writes prices, and replaces those of the same minutes.
 * @throws DatabaseError
 */
export async function writePrices(sql: Sql, rows: readonly PriceRow[]): Promise<void> {
  await sql.query(
    SQL`with given as (select * from unnest($1::text[], $2::text[], $3::bigint[], $4::numeric[], $5::text[]) with ordinality
        as given (chain, token, time, usd, source, place)), ${notePriced(SQL`given`)}
      insert into graphloom.data_prices (chain, token, bucket, usd, source)
      select distinct on (1, 2, 3) chain, token, time / ${bucketSeconds} * ${bucketSeconds}, usd, source from given
      order by 1, 2, 3, time desc, place desc
      on conflict (chain, token, bucket) do update set usd = excluded.usd, source = excluded.source`,
    listsOf(rows, ["chain", "token", "time", "usd", "source"]),
  );
}

/** Writes the names of addresses. @throws DatabaseError */
export async function writeLabels(sql: Sql, rows: readonly LabelRow[]): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.data_labels (chain, address, label)
      select distinct on (1, 2) * from unnest($1::text[], $2::text[], $3::text[])
      on conflict (chain, address) do update set label = excluded.label`,
    listsOf(rows, ["chain", "address", "label"]),
  );
}
