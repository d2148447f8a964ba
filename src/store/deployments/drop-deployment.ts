import { type Database, SQL } from "../database/database.js";
import { quoteName } from "../database/quote.js";
import { findDeployment } from "./deployments.js";

/**
 * Drops everything that was indexed of a build: its tables with their changes, and what the catalog knows of it.
 * @param deployment the IPFS hash of the manifest
 * @returns whether there was something
 * @throws DatabaseError
 */
export async function dropDeployment(database: Database, deployment: string): Promise<boolean> {
  return database.transaction(async (sql) => {
    // Whoever writes waits for the same row, and finds it gone.
    await sql.query(SQL`select from graphloom.deployments where deployment = $1::text for update`, [
      deployment,
    ]);
    const found = await findDeployment(sql, deployment);
    if (!found) return false;
    await sql.query(SQL`delete from graphloom.deployments where id = $1::integer`, [String(found.id)]);
    await sql.run(SQL`drop schema if exists ${quoteName(found.namespace)} cascade`);
    return true;
  });
}
