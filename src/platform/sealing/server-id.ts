import { DatabaseError, SQL, type Sql } from "../../store/database/database.js";

/**
 * The id that this server shares with all servers on its database.
 * @throws DatabaseError before a server has registered its key (`checkSecretKey`)
 */
export async function readServerId(sql: Sql): Promise<string> {
  const [row] = await sql.query(SQL`select id from graphloom.server`);
  if (row?.id != null) return row.id;
  throw new DatabaseError("the database does not have a server id yet");
}
