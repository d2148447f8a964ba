import { type Database, SQL, type Sql } from "../database/database.js";
import { quoteName } from "../database/quote.js";
import { findDeployment } from "./deployments.js";

/**
 * Drops everything that was indexed for a build: its tables, their changes, and its catalog entry.
 * @param deployment the IPFS hash of the manifest
 * @param mayDrop asked in the transaction that drops it
 * @returns the outcome
 * @throws DatabaseError
 */
export async function dropDeployment(
  database: Database,
  deployment: string,
  mayDrop: (sql: Sql) => Promise<boolean> = async () => true,
): Promise<"dropped" | "missing" | "kept"> {
  return database.transaction(async (sql) =>
    (await mayDrop(sql)) ? dropDeploymentIn(sql, deployment) : "kept",
  );
}

/** Does the same within a transaction. */
export async function dropDeploymentIn(sql: Sql, deployment: string): Promise<"dropped" | "missing"> {
  // Writers wait for the same row and find it deleted.
  await sql.query(SQL`select from graphloom.deployments where deployment = $1::text for update`, [
    deployment,
  ]);
  const found = await findDeployment(sql, deployment);
  if (!found) return "missing";
  await sql.query(SQL`delete from graphloom.deployments where id = $1::integer`, [String(found.id)]);
  await sql.run(SQL`drop schema if exists ${quoteName(found.namespace)} cascade`);
  return "dropped";
}
