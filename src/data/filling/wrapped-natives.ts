import { cell } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { nativeToken } from "../chains/native-token.js";
import type { FillingNode } from "../nodes/data-node.js";

/**
 * Parts of the code of a contract that wraps native coins: the functions deposit() and withdraw(uint256), and the
 * events Deposit(address,uint256) and Withdrawal(address,uint256).
 */
const marks = [
  "d0e30db0",
  "2e1a7d4d",
  "e1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  "7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
];
/** How many contracts to ask for their code at once. */
const together = 20;

/**
 * The tokens of a chain whose deposits and withdrawals are read from now on. A table that has rows keeps the tokens that it has
 * read.
 * @param isNew whether the tables are empty
 * @param node finds out which tokens with prices wrap native coins, unless the registry says so
 * @throws DatabaseError; ChainError if the node does not answer
 */
export async function wrappedNatives(
  sql: Sql,
  chain: string,
  isNew: boolean,
  node: FillingNode | undefined,
): Promise<readonly string[]> {
  if (node) await findWrapped(sql, chain, await unsortedTokens(sql, chain), node);
  if (isNew)
    await sql.query(
      SQL`update graphloom.data_wrapped set is_read = false, is_whole = false where chain = $1::text`,
      [chain],
    );
  const rows = await sql.query(
    SQL`insert into graphloom.data_wrapped (chain, token, wraps, is_read, is_whole)
      select $1::text, token, true, true, $2::boolean from (
        select r.token from graphloom.data_registry r where r.chain = $1::text and r.wraps_native
        union
        select w.token from graphloom.data_wrapped w
          left join graphloom.data_registry r on r.chain = w.chain and r.token = w.token
          where w.chain = $1::text and (w.is_read or (w.wraps and r.wraps_native is not false))) wrapped
      on conflict (chain, token) do update set is_read = true,
        is_whole = data_wrapped.is_whole or excluded.is_whole
      returning token`,
    [chain, String(isNew)],
  );
  return rows.map((row) => cell(row, "token")).sort();
}

/** Tokens with prices for which it is unknown whether they wrap native coins. */
async function unsortedTokens(sql: Sql, chain: string): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select r.token from graphloom.data_registry r
      where r.chain = $1::text and r.canonical_id is not null and not r.is_stable and r.wraps_native is null and r.token <> $2::text
        and not exists (select 1 from graphloom.data_wrapped w where w.chain = r.chain and w.token = r.token)
      order by r.token`,
    [chain, nativeToken],
  );
  return rows.map((row) => cell(row, "token"));
}

/**
 * Records which of the given tokens wrap native coins, judged by their code. A token without code may get some later.
 * @throws DatabaseError; ChainError if the node does not answer
 */
export async function findWrapped(
  sql: Sql,
  chain: string,
  tokens: readonly string[],
  node: FillingNode,
): Promise<void> {
  for (let index = 0; index < tokens.length; index += together) {
    const some = tokens.slice(index, index + together);
    const codes = await Promise.all(some.map((token) => node.code(token)));
    const known = some.flatMap((token, place) => {
      const code = (codes[place] ?? "0x").toLowerCase();
      return code === "0x" ? [] : [{ token, wraps: marks.every((mark) => code.includes(mark)) }];
    });
    await sql.query(
      SQL`insert into graphloom.data_wrapped (chain, token, wraps)
        select $1::text, * from unnest($2::text[], $3::boolean[]) on conflict do nothing`,
      [chain, arrayText(known.map(({ token }) => token)), arrayText(known.map(({ wraps }) => String(wraps)))],
    );
  }
}
