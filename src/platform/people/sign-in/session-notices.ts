import { bytesText, parseBytes } from "../../../store/database/bytea.js";
import { SQL, type Sql } from "../../../store/database/database.js";

/** Stores the notice that a browser shows next, in place of an earlier one. @param sealed encrypted @throws DatabaseError */
export async function putNotice(sql: Sql, session: string, sealed: Uint8Array): Promise<void> {
  await sql.query(SQL`update graphloom.sessions set sealed_notice = $2::bytea where id = $1::text`, [
    session,
    bytesText(sealed),
  ]);
}

/** The notice that a browser shows next, if any. @throws DatabaseError */
export async function findNotice(sql: Sql, session: string): Promise<Uint8Array | undefined> {
  const [row] = await sql.query(
    SQL`select sealed_notice from graphloom.sessions where id = $1::text for update`,
    [session],
  );
  return row?.sealed_notice == null ? undefined : parseBytes(row.sealed_notice);
}

/** Deletes the notice of a browser. @throws DatabaseError */
export async function dropNotice(sql: Sql, session: string): Promise<void> {
  await sql.query(SQL`update graphloom.sessions set sealed_notice = null where id = $1::text`, [session]);
}
