import { isRecord, parseJson } from "../../base/text/json-value.js";
import { cell } from "../../store/database/columns.js";
import type { Database } from "../../store/database/database.js";
import { SQL } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import type { Platform } from "../platform.js";
import { changeSecret, openSecret, sealSecret } from "../secrets/secrets.js";
import { type HostedCluster, HostedClusterError } from "./hosted-cluster.js";
import { allSinks, type HostedSinkRow } from "./hosted-sink-rows.js";

/** What the manual says about databases in the server's own cluster. */
const guide = "The manual says how to move it: graphloom docs hosted-sinks";

/**
 * Checks that all hosted databases are where the settings say, and that none can still be used in the cluster
 * of the server's own database. Corrects the addresses in secrets of databases that were moved.
 * @returns the databases that are missing
 * @throws HostedClusterError, DatabaseError
 */
export async function findPlaces(
  { database, secretKey }: Pick<Platform, "database" | "secretKey">,
  cluster: HostedCluster | undefined,
): Promise<readonly string[]> {
  const sinks = await allSinks(database);
  if (sinks.length === 0) return [];
  if (!cluster) {
    throw new HostedClusterError(
      `This server has hosted sinks (${counted(sinks.length)}), but --hosted-sinks does not say where.`,
      `Pass --hosted-sinks with the address of another PostgreSQL cluster. If they are in the server's own one, move them, or accept the risk with --hosted-sinks <the address> --hosted-sinks-share-cluster. ${guide}`,
    );
  }
  const names = sinks.map((sink) => sink.database);
  if (database.provider === "postgres" && !cluster.isShared) {
    const left = await usableRoles(database, names);
    if (left.length > 0) {
      throw new HostedClusterError(
        `Hosted databases can still be used in the PostgreSQL cluster of the server's own database: ${left.join(", ")}.`,
        `Move each one, then shut its role out there: alter role ${left[0]} nologin. ${guide}`,
      );
    }
  }
  const there = await namesThere(cluster.database, names);
  for (const sink of sinks)
    if (sink.state === "ready" && there.has(sink.database))
      await correctAddress({ database, secretKey }, sink, cluster);
  return sinks.filter(({ state, database: name }) => state === "ready" && !there.has(name)).map(named);
}

function counted(count: number): string {
  return count === 1 ? "one database" : `${count} databases`;
}

function named({ name, database }: HostedSinkRow): string {
  return `${database} (${name})`;
}

/** The roles that can log in. */
async function usableRoles(database: Database, names: readonly string[]): Promise<readonly string[]> {
  const rows = await database.query(
    SQL`select rolname as name from pg_roles where rolname = any($1::text[]) and rolcanlogin order by rolname`,
    [arrayText(names)],
  );
  return rows.map((row) => cell(row, "name"));
}

async function namesThere(database: Database, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await database.query(
    SQL`select datname as name from pg_database where datname = any($1::text[])`,
    [arrayText(names)],
  );
  return new Set(rows.map((row) => cell(row, "name")));
}

/** Pipelines read the address of a hosted database from its secret. */
async function correctAddress(
  { database, secretKey }: Pick<Platform, "database" | "secretKey">,
  { project, name: own }: HostedSinkRow,
  { server }: HostedCluster,
): Promise<void> {
  const name = { project, name: own };
  await database.transaction(async (sql) => {
    const text = await openSecret(sql, name, secretKey);
    const value = text === undefined ? undefined : parseJson(text);
    const { tls, ...place } = server;
    const told = Object.entries({ ...place, ...tls });
    if (!isRecord(value) || told.every(([field, now]) => value[field] === now)) return;
    const corrected = JSON.stringify({ ...value, ...Object.fromEntries(told) });
    await changeSecret(sql, name, { sealedValue: sealSecret(secretKey, name, corrected) });
  });
}
