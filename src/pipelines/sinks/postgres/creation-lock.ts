import { SQL, type Sql } from "../../../store/database/database.js";

/**
 * The statement that makes others wait to create schemas and tables until the transaction ends. Two that create the same at
 * once would otherwise fail, even with "if not exists". The number distinguishes it from other locks in the same database.
 */
export const creationLock = SQL`select pg_advisory_xact_lock(7236540197)`;

/** Makes others wait to create schemas and tables until the transaction ends. @throws DatabaseError */
export async function lockCreation(sql: Sql): Promise<void> {
  await sql.query(creationLock);
}
