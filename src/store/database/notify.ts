import { DatabaseError, SQL, type Sql } from "./database.js";

/**
 * Notifies the listeners of a channel; in a transaction, once it has committed. The message can be lost, so listeners
 * must also poll.
 */
export async function notify(sql: Sql, channel: string, payload = ""): Promise<void> {
  if (sql.notify) sql.notify(channel, payload);
  else await sendNotification(sql, channel, payload);
}

/**
 * Sends a message in a separate statement. PostgreSQL has one queue for all databases of a cluster, and refuses
 * messages when it is full. That must not undo or fail the work that the message is about.
 */
export async function sendNotification(
  sql: Pick<Sql, "query">,
  channel: string,
  payload: string,
): Promise<void> {
  try {
    await sql.query(SQL`select pg_notify($1::text, $2::text)`, [channel, payload]);
  } catch (error) {
    // Listeners look by themselves too, only later.
    if (!(error instanceof DatabaseError)) throw error;
  }
}
