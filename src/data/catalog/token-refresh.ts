import { cell, columns, integer, nullable, text } from "../../store/database/columns.js";
import { SQL, type Sql, type SqlFragment } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { nativeToken } from "../chains/native-token.js";
import type { DatedMetadata } from "./catalog-rows.js";

const dated = columns({
  chain: text,
  token: text,
  symbol: nullable(text),
  name: nullable(text),
  decimals: nullable(integer),
  fromBlock: integer,
  askedBlock: integer,
  askedAt: integer,
});

/** The latest answers of a chain's tokens. Parameter 1 is the chain. */
const lastSaid = SQL`select ${dated.list} from graphloom.data_tokens m where m.chain = $1::text
  and not exists (select 1 from graphloom.data_tokens later
    where later.chain = m.chain and later.token = m.token and later.from_block > m.from_block)`;

async function datedTokens(
  sql: Sql,
  statement: SqlFragment,
  given: readonly string[],
): Promise<readonly DatedMetadata[]> {
  const rows = await sql.query(statement, given);
  return rows.map(dated.read);
}

/** The latest answers of a chain's contracts. @param tokens only these @throws DatabaseError */
export function askedTokens(
  sql: Sql,
  chain: string,
  tokens?: readonly string[],
): Promise<readonly DatedMetadata[]> {
  const some = tokens ? SQL`and m.token = any($2::text[])` : SQL``;
  return datedTokens(sql, SQL`${lastSaid} ${some} order by m.token`, [
    chain,
    ...(tokens ? [arrayText(tokens)] : []),
  ]);
}

/**
 * The latest answers of tokens that were last asked before a time: all that are registered or have prices, and a few
 * others, least recently asked first.
 * @param before seconds since 1970
 * @throws DatabaseError
 */
export function dueTokens(
  sql: Sql,
  chain: string,
  before: number,
  fewUnpriced: number,
): Promise<readonly DatedMetadata[]> {
  const priced = SQL`select r.token from graphloom.data_registry r where r.chain = $1::text
    union select p.token from graphloom.data_priced p where p.chain = $1::text`;
  return datedTokens(
    sql,
    SQL`(${lastSaid} and m.asked_at <= $2::bigint and m.token in (${priced}))
      union all
      (${lastSaid} and m.asked_at <= $2::bigint and m.token not in (${priced}) order by m.asked_at, m.token limit $3::integer)`,
    [chain, String(before), String(fewUnpriced)],
  );
}

/** The registered tokens, without the native coin. @throws DatabaseError */
export async function registeredTokens(sql: Sql, chain: string): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select r.token from graphloom.data_registry r where r.chain = $1::text and r.token <> $2::text
      and not exists (select 1 from graphloom.data_tokens m where m.chain = r.chain and m.token = r.token) order by r.token`,
    [chain, nativeToken],
  );
  return rows.map((row) => cell(row, "token"));
}

/** The last block whose upgrades have been read; `undefined` before the first run. @throws DatabaseError */
export async function notedUpgrades(sql: Sql, chain: string): Promise<number | undefined> {
  const [row] = await sql.query(SQL`select read_to from graphloom.data_upgrades where chain = $1::text`, [
    chain,
  ]);
  return row && Number(row.read_to);
}

/** Records the last block whose upgrades have been read. @throws DatabaseError */
export async function noteUpgrades(sql: Sql, chain: string, block: number): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.data_upgrades (chain, read_to) values ($1::text, $2::bigint)
      on conflict (chain) do update set read_to = excluded.read_to`,
    [chain, String(block)],
  );
}
