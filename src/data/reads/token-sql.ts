import { boolean, columns, integer, nullable, text } from "../../store/database/columns.js";
import { joinFragments, SQL, type SqlFragment } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import type { TokenFilter } from "./data-reads.js";

/** Adds a parameter. */
export type Put = (value: string | number) => SqlFragment;

/** Collects the parameters of a statement. */
export function parameters(): { readonly given: (string | number)[]; readonly put: Put } {
  const given: (string | number)[] = [];
  return { given, put: (value) => SQL`$${given.push(value)}` };
}

/** The columns of `served`. */
export const tokenColumns = {
  symbol: nullable(text),
  name: nullable(text),
  decimals: nullable(integer),
  logoUrl: nullable(text),
  isStable: boolean,
};
export const servedToken = columns(tokenColumns);

/**
 * A fact about a token: from the contract, or else from the registry. A registry entry that overrides comes first.
 */
const fact = (name: SqlFragment): SqlFragment =>
  SQL`case when r.overrides then coalesce(r.${name}, m.${name}) else coalesce(m.${name}, r.${name}) end`;
export const symbol = fact(SQL`symbol`);
export const served = SQL`${symbol} as symbol, ${fact(SQL`name`)} as name, ${fact(SQL`decimals`)} as decimals,
  r.logo_url, coalesce(r.is_stable, false) as is_stable`;

/** Joins facts about the tokens of `t`. @param at the block of the facts; the newest by default */
export function knownTokens(chain: SqlFragment, at?: SqlFragment): SqlFragment {
  return SQL`left join lateral (select said.symbol, said.name, said.decimals from graphloom.data_tokens said
      where said.chain = ${chain}::text and said.token = t.token ${at ? SQL`and said.from_block <= ${at}` : SQL``}
      order by said.from_block desc limit 1) m on true
    left join graphloom.data_registry r on r.chain = ${chain}::text and r.token = t.token`;
}

/** Whether a token of the registry can have a price. */
export const hasPrice = SQL`(r.is_stable or r.canonical_id is not null)`;

/** Whether a token may have a price, if `priced` was joined. */
export const isPriceable = SQL`(${hasPrice} or priced.token is not null) is true`;

/**
 * Whether a token wraps native coins and the tables lack some of its deposits and withdrawals, so that sums of them are wrong,
 * if `wrapping` and the registry were joined.
 */
export const lacksMoves = SQL`case when w.is_read then not w.is_whole else coalesce(r.wraps_native, w.wraps, false) end`;

/** Joins the facts about which tokens of `t` wrap native coins. */
export function wrapping(chain: SqlFragment): SqlFragment {
  return SQL`left join graphloom.data_wrapped w on w.chain = ${chain}::text and w.token = t.token`;
}

/**
 * Joins the tokens of `t` with the tokens that have prices. @param hasRegistry whether `knownTokens` was joined, too
 */
export function priced(chain: SqlFragment, hasRegistry: boolean): SqlFragment {
  return SQL`left join graphloom.data_priced priced on priced.chain = ${chain}::text and priced.token = t.token
    ${hasRegistry ? SQL`` : SQL`left join graphloom.data_registry r on r.chain = ${chain}::text and r.token = t.token`}`;
}

/** The conditions of a filter on the columns that `knownTokens` joins. */
export function tokenConditions(
  { tokens, symbols, withUnpriced }: TokenFilter,
  put: Put,
): readonly SqlFragment[] {
  return [
    ...(tokens ? [SQL`t.token = any(${put(arrayText(tokens))}::text[])`] : []),
    ...(symbols ? [SQL`lower(${symbol}) = any(${put(arrayText(symbols))}::text[])`] : []),
    ...(withUnpriced ? [] : [hasPrice]),
  ];
}

/**
 * Like `tokenConditions`, for rows that are not joined to facts about tokens. Looks tokens up in a table of passing
 * tokens, which keeps the order in which rows are read.
 */
export function wantedTokens(filter: TokenFilter, chain: SqlFragment, put: Put): readonly SqlFragment[] {
  const { tokens, ...rest } = filter;
  const named = tokens ? [SQL`t.token = any(${put(arrayText(tokens))}::text[])`] : [];
  if (passesAll(filter)) return named;
  return [...named, SQL`(t.token in (${passingTokens(rest, chain, put)})) is true`];
}

/** Whether a filter needs no facts about tokens. */
export function passesAll({ symbols, withUnpriced }: TokenFilter): boolean {
  return withUnpriced && !symbols;
}

/** A statement with the tokens of a chain that pass a filter. The filter must exclude some. */
export function passingTokens(filter: TokenFilter, chain: SqlFragment, put: Put): SqlFragment {
  const all = filter.withUnpriced
    ? SQL`select token from graphloom.data_tokens where chain = ${chain}::text
        union select token from graphloom.data_registry where chain = ${chain}::text`
    : SQL`select token from graphloom.data_registry where chain = ${chain}::text`;
  const conditions = tokenConditions(filter, put);
  return SQL`select t.token from (${all}) t ${knownTokens(chain)} where ${joinFragments(conditions, SQL` and `)}`;
}

/** The name of an address; a name for the chain takes precedence. */
export function label(chain: SqlFragment, address: SqlFragment): SqlFragment {
  return SQL`(select l.label from graphloom.data_labels l where l.address = ${address}::text and l.chain in ('', ${chain}::text)
    order by l.chain desc limit 1)`;
}
