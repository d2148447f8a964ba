import { SQL, type Sql } from "../../../store/database/database.js";

/**
 * A statement that makes others wait to create schemas and tables until the transaction ends.
 * Otherwise, two that create the same one at once would fail, even with "if not exists". The number distinguishes
 * this lock from others in the database.
 */
export const creationLock = SQL`select pg_advisory_xact_lock(7236540197)`;

/** Makes others wait to create schemas and tables until the transaction ends. @throws DatabaseError */
export async function lockCreation(sql: Sql): Promise<void> {
  await sql.query(creationLock);
}
