import { DatabaseError, SQL, type Sql } from "../../store/database/database.js";

/**
 * What tells this server, with all that share its database, from others.
 * @throws DatabaseError before a server has brought its key (`checkSecretKey`)
 */
export async function readServerId(sql: Sql): Promise<string> {
  const [row] = await sql.query(SQL`select id from graphloom.server`);
  if (row?.id != null) return row.id;
  throw new DatabaseError("the database does not have a server id yet");
}
