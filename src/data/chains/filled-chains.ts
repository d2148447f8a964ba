import { boolean, columns, integer, type RowOf, text } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";

const chainRow = columns({ chain: text, firstBlock: integer, natives: boolean });

/** A chain whose tables are filled. */
export type FilledChain = RowOf<typeof chainRow>;

/** All chains that have tables, by name. @throws DatabaseError */
export async function filledChains(sql: Sql): Promise<readonly FilledChain[]> {
  const rows = await sql.query(
    SQL`select ${chainRow.list} from graphloom.data_chains order by chain collate "C"`,
  );
  return rows.map(chainRow.read);
}

/**
 * Finds one of these chains.
 * @throws DatabaseError
 */
export async function findFilledChain(sql: Sql, chain: string): Promise<FilledChain | undefined> {
  const [row] = await sql.query(
    SQL`select ${chainRow.list} from graphloom.data_chains where chain = $1::text`,
    [chain],
  );
  return row && chainRow.read(row);
}

/** Records that a chain has tables; an existing record stays unchanged. @throws DatabaseError */
export async function addFilledChain(sql: Sql, { chain, firstBlock, natives }: FilledChain): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.data_chains (chain, first_block, natives)
      values ($1::text, $2::bigint, $3::boolean) on conflict do nothing`,
    [chain, String(firstBlock), String(natives)],
  );
}

/** Records that native transfers of a chain are read from now on. @throws DatabaseError */
export async function addNatives(sql: Sql, chain: string): Promise<void> {
  await sql.query(SQL`update graphloom.data_chains set natives = true where chain = $1::text`, [chain]);
}

/** The last block whose tokens have been looked up; -1 before the first run. @throws DatabaseError */
export async function notedTokens(sql: Sql, chain: string): Promise<number> {
  const [row] = await sql.query(SQL`select tokens_to from graphloom.data_chains where chain = $1::text`, [
    chain,
  ]);
  return Number(row?.tokens_to ?? -1);
}

/** Records the last block whose tokens have been looked up. @throws DatabaseError */
export async function noteTokens(sql: Sql, chain: string, block: number): Promise<void> {
  await sql.query(SQL`update graphloom.data_chains set tokens_to = $2::bigint where chain = $1::text`, [
    chain,
    String(block),
  ]);
}
