import { reportFailure } from "../../base/failures.js";
import { repeat } from "../../base/repeat.js";
import { type Database, DatabaseError } from "../../store/database/database.js";
import type { Platform } from "../platform.js";
import { defaultQuotas } from "../quotas/quotas.js";
import type { HostedCluster } from "./hosted-cluster.js";
import { endSessions, notificationQueueUsage, setAccess, sizeOfDatabase } from "./hosted-database.js";
import { noteAccess, readySinks, type SinkAccess } from "./hosted-sink-rows.js";

/** The share of PostgreSQL's queue for notifications from which the sessions of hosted databases end. */
const mostQueueUsage = 0.2;

/**
 * Measures all hosted databases again and again, and sets what their clients may do. Failures of the database are left to
 * the next time.
 * @param pause milliseconds
 * @returns ends it
 */
export function watchSizes(
  { database, world, settings }: Pick<Platform, "database" | "world" | "settings">,
  cluster: HostedCluster,
  pause: number,
): () => Promise<void> {
  const most = (settings.quotas?.hostedSinkMegabytes ?? defaultQuotas.hostedSinkMegabytes) * 1_048_576;
  const closing = new AbortController();
  const measuring = repeat(pause, world, closing.signal, async () => {
    try {
      await limitSizes(database, cluster.database, most);
    } catch (error) {
      if (!(error instanceof DatabaseError)) reportFailure(error);
    }
  });
  return async () => {
    closing.abort();
    await measuring;
  };
}

/**
 * Measures all hosted databases once, and sets what their clients may do. One that is gone, or that PostgreSQL cannot change at
 * the moment, is left to the next time.
 * @param most bytes of a database
 * @throws DatabaseError
 */
async function limitSizes(database: Database, cluster: Database, most: number): Promise<void> {
  const sinks = await readySinks(database);
  const roles = sinks.map((sink) => sink.database);
  if (roles.length > 0 && (await notificationQueueUsage(cluster)) > mostQueueUsage) {
    await endSessions(cluster, roles);
  }
  for (const { database: name, access } of sinks) {
    try {
      const bytes = await sizeOfDatabase(cluster, name);
      const wanted = bytes === undefined ? access : accessFor(bytes, most);
      const isChanged = wanted !== access;
      if (!isChanged && wanted === "open") continue;
      // Set it every time, because the role can undo some of it.
      await setAccess(cluster, name, wanted);
      if (isChanged) await noteAccess(database, name, wanted);
      // Sessions keep the rights with which they began. One that makes room goes on.
      if (isChanged || wanted === "closed") await endSessions(cluster, [name]);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code === undefined) throw error;
    }
  }
}

/** Clients that write nevertheless end at twice the limit. */
function accessFor(bytes: number, most: number): SinkAccess {
  if (bytes <= most) return "open";
  return bytes <= 2 * most ? "read-only" : "closed";
}
