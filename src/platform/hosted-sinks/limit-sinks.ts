import { reportFailure } from "../../base/failures.js";
import { repeat } from "../../base/text/repeat.js";
import { type Database, DatabaseError } from "../../store/database/database.js";
import type { Platform } from "../platform.js";
import { defaultQuotas } from "../quotas/quotas.js";
import { mayLimitFiles } from "./cluster-faults.js";
import type { HostedCluster } from "./hosted-cluster.js";
import {
  endLongTransactions,
  endSessions,
  notificationQueueUsage,
  sizeOfDatabase,
} from "./hosted-database.js";
import { noteAccess, readySinks, type SinkAccess } from "./hosted-sink-rows.js";
import { secureSink, sinkTimes } from "./secure-sink.js";

/** The used share of PostgreSQL's notification queue from which the sessions of hosted databases are ended. */
const mostQueueUsage = 0.2;

/**
 * Checks all hosted databases regularly, and limits them. After a failure of PostgreSQL, the next check tries again.
 * @param pause milliseconds
 * @param say receives a sentence when a database cannot be limited, once for each reason
 * @returns a function that ends this
 */
export function watchSinks(
  { database, world, settings }: Pick<Platform, "database" | "world" | "settings">,
  cluster: HostedCluster,
  pause: number,
  say: (sentence: string) => void,
): () => Promise<void> {
  const most = (settings.quotas?.hostedSinkMegabytes ?? defaultQuotas.hostedSinkMegabytes) * 1_048_576;
  const closing = new AbortController();
  let said: ReadonlySet<string> = new Set();
  const looking = repeat(pause, world, closing.signal, async () => {
    const failures = await limitSinks(database, cluster, most).catch((error: unknown) => {
      if (error instanceof DatabaseError) return [`Hosted databases cannot be limited: ${error.message}`];
      reportFailure(error);
      return [];
    });
    for (const failure of failures) if (!said.has(failure)) say(failure);
    said = new Set(failures);
  });
  return async () => {
    closing.abort();
    await looking;
  };
}

/**
 * Looks at all hosted databases once: measures them, and sets their tenants' rights.
 * @param most bytes of a database
 * @returns a sentence for each database that could not be limited
 * @throws DatabaseError
 */
export async function limitSinks(
  database: Database,
  cluster: HostedCluster,
  most: number,
): Promise<readonly string[]> {
  const sinks = await readySinks(database);
  if (sinks.length === 0) return [];
  const roles = sinks.map((sink) => sink.database);
  const { database: login } = cluster;
  if ((await notificationQueueUsage(login)) > mostQueueUsage) await endSessions(login, roles);
  await endLongTransactions(login, roles, sinkTimes);
  const limitsFiles = await mayLimitFiles(login);
  const failures: string[] = [];
  for (const { database: name, access } of sinks) {
    try {
      const bytes = await sizeOfDatabase(login, name);
      const wanted = bytes === undefined ? access : accessFor(bytes, most);
      await secureSink(cluster, name, { access: wanted, limitsFiles, roles });
      if (wanted !== access) await noteAccess(database, name, wanted);
      // Sessions keep the rights from their start. A session that frees space continues.
      if (wanted !== access || wanted === "closed") await endSessions(login, [name]);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code === undefined) throw error;
      failures.push(`The hosted database ${name} cannot be limited: ${error.message}`);
    }
  }
  return failures;
}

/** Clients that write nevertheless lose all access at twice the limit. */
function accessFor(bytes: number, most: number): SinkAccess {
  if (bytes <= most) return "open";
  return bytes <= 2 * most ? "read-only" : "closed";
}
