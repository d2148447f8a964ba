import { bytesText, parseBytes } from "../../store/database/bytea.js";
import { SQL, type Sql } from "../../store/database/database.js";

/** Keeps what a browser is shown next, in place of what was kept before. @param sealed encrypted @throws DatabaseError */
export async function putNotice(sql: Sql, session: string, sealed: Uint8Array): Promise<void> {
  await sql.query(SQL`update graphloom.sessions set sealed_notice = $2::bytea where id = $1::text`, [
    session,
    bytesText(sealed),
  ]);
}

/** What a browser is shown next; nothing when there is nothing. @throws DatabaseError */
export async function findNotice(sql: Sql, session: string): Promise<Uint8Array | undefined> {
  const [row] = await sql.query(
    SQL`select sealed_notice from graphloom.sessions where id = $1::text for update`,
    [session],
  );
  return row?.sealed_notice == null ? undefined : parseBytes(row.sealed_notice);
}

/** Forgets what a browser is shown next. @throws DatabaseError */
export async function dropNotice(sql: Sql, session: string): Promise<void> {
  await sql.query(SQL`update graphloom.sessions set sealed_notice = null where id = $1::text`, [session]);
}
