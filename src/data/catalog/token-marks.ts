import { SQL, type Sql, type SqlFragment } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { listsOf } from "./lists-of.js";

/** The kinds of marks, gravest first. */
export const markKinds = [
  "unreliable",
  "rebasing",
  "fee_taking",
  "non_fungible",
  "no_transfers",
  "differs",
  "pre_history",
] as const;

/**
 * Why the balances of a token differ from the sums of its transfers.
 *
 * - `unreliable`: `balanceOf` fails, returns something other than a balance, or contradicts itself
 * - `rebasing`: a balance changed without a transfer
 * - `fee_taking`: a transfer brought less than its amount, or took more
 * - `non_fungible`: the contract says that its tokens are unique, so the numbers in its transfers are not amounts
 * - `no_transfers`: there may be some, but the contract has emitted no transfer in the form of ERC-20
 * - `differs`: the two differ, and the cause is not known
 * - `pre_history`: holdings from before the first block of the tables explain the difference
 */
export type MarkKind = (typeof markKinds)[number];

/** An audit's finding about a token. */
export interface TokenMark {
  readonly chain: string;
  readonly token: string;
  readonly kind: MarkKind;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** A sentence. */
  readonly evidence: string;
}

/**
 * Writes marks, and replaces those of the same tokens.
 * @throws DatabaseError
 */
export async function writeMarks(sql: Sql, marks: readonly TokenMark[]): Promise<void> {
  await insertMarks(
    sql,
    marks,
    SQL`update set kind = excluded.kind, block_number = excluded.block_number,
        block_hash = excluded.block_hash, evidence = excluded.evidence, marked_at = now()`,
  );
}

/** Writes the marks of tokens that have none. @throws DatabaseError */
export async function writeFirstMarks(sql: Sql, marks: readonly TokenMark[]): Promise<void> {
  await insertMarks(sql, marks, SQL`nothing`);
}

async function insertMarks(sql: Sql, marks: readonly TokenMark[], onConflict: SqlFragment): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.data_marks (chain, token, kind, block_number, block_hash, evidence)
      select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[])
      on conflict (chain, token) do ${onConflict}`,
    listsOf(marks, ["chain", "token", "kind", "blockNumber", "blockHash", "evidence"]),
  );
}

/** The tokens with a mark of a kind, in order. @throws DatabaseError */
export async function markedTokens(sql: Sql, chain: string, kind: MarkKind): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select token from graphloom.data_marks where chain = $1::text and kind = $2::text order by token`,
    [chain, kind],
  );
  return rows.map(({ token }) => String(token));
}

/** Removes the marks of tokens; returns the tokens that had one. @throws DatabaseError */
export async function removeMarks(
  sql: Sql,
  chain: string,
  tokens: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`delete from graphloom.data_marks where chain = $1::text and token = any($2::text[]) returning token`,
    [chain, arrayText(tokens)],
  );
  return rows.map(({ token }) => String(token));
}
