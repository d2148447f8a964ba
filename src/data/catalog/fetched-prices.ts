import { SQL, type Sql } from "../../store/database/database.js";
import { listsOf } from "./lists-of.js";
import { notePriced } from "./note-priced.js";

/** The given tokens that have a source of prices and are not at par. @throws DatabaseError */
export async function priceableTokens<Token extends { readonly chain: string; readonly token: string }>(
  sql: Sql,
  tokens: readonly Token[],
): Promise<readonly Token[]> {
  const rows = await sql.query(
    SQL`select given.place from unnest($1::text[], $2::text[]) with ordinality as given (chain, token, place)
      join graphloom.data_registry r on r.chain = given.chain and r.token = given.token
      where r.canonical_id is not null and not r.is_stable order by given.place`,
    listsOf(tokens, ["chain", "token"]),
  );
  return rows.flatMap(({ place }) => tokens[Number(place) - 1] ?? []);
}

/**
 * Writes fetched prices at the times that their source reports. @param now seconds since 1970 @throws DatabaseError
 */
export async function writeFetchedPrices(
  sql: Sql,
  chain: string,
  rows: readonly { readonly token: string; readonly usd: string; readonly observedAt: number }[],
  now: number,
): Promise<void> {
  await sql.query(
    SQL`with given as (select $1::text as chain, * from unnest($3::text[], $4::numeric[], $5::bigint[]) as given (token, usd, time)),
        ${notePriced(SQL`given`)}
      insert into graphloom.data_prices (chain, token, bucket, usd, source, known_at)
      select chain, token, time, usd, 'http', $2::bigint from given
      on conflict (chain, token, bucket) do nothing`,
    [chain, String(now), ...listsOf(rows, ["token", "usd", "observedAt"])],
  );
}
