import { createHmac } from "node:crypto";
import { type Database, DatabaseError, SQL } from "../../store/database/database.js";

/**
 * Checks that the server has the key that encrypts the database's secrets. The first server registers its key.
 * @throws DatabaseError when the server has a different key
 */
export async function checkSecretKey(database: Database, secretKey: Uint8Array): Promise<void> {
  const own = createHmac("sha256", secretKey).update("graphloom server").digest("hex");
  await database.query(
    SQL`insert into graphloom.server (key_check) values ($1::text) on conflict (is_it) do nothing`,
    [own],
  );
  const [row] = await database.query(SQL`select key_check from graphloom.server`);
  if (row?.key_check === own) return;
  throw new DatabaseError(
    "the secrets in the database were encrypted with a different key than this server's",
    {
      hint: "Start the server with the same --data folder or GRAPHLOOM_SECRET_KEY as before.",
    },
  );
}
