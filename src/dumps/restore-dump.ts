import type { Database } from "../store/database/database.js";
import type { RunName } from "../store/deployments/run-names.js";
import type { DumpFiles } from "./dump-files.js";
import type { DumpMetadata } from "./dump-metadata.js";
import type { StoredTable } from "./dump-tables.js";
import { judgeDump } from "./judge-dump.js";
import { type LoadPlace, loadTable } from "./load-table.js";
import { beginRestore, checkFree, finishRestore, type Replacing } from "./restore-steps.js";
import { dropAbandoned, holdRestore } from "./restores.js";

/** What was restored. */
export interface RestoreReport {
  readonly deployment: string;
  readonly network: string;
  readonly head?: number | undefined;
  readonly tables: readonly { readonly type: string; readonly rows: number }[];
  /** Whether a restore that was interrupted has been continued. */
  readonly isContinued: boolean;
}

/** What `replace` drops stays until the moment in which the restored deployment takes its place. */
export interface RestoreOptions extends Replacing {
  /** The name under which other commands find it. */
  readonly name?: RunName | undefined;
  readonly onProgress?: (table: string, rows: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Restores a dump of graphloom or graph-node as a deployment that can be queried and indexed further. The deployment is
 * visible once all rows are loaded and counted. A restore that was interrupted is continued. If the folder has changed
 * since, it starts over.
 * @throws DumpError, DatabaseError, and errors of the system
 */
export async function restoreDump(
  database: Database,
  files: DumpFiles,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const dump = await judgeDump(files);
  const { metadata } = dump;
  await database.transaction((sql) => checkFree(sql, metadata.deployment, options));
  const begun = await beginRestore(database, dump);
  await dropAbandoned(database);
  const place: LoadPlace = {
    database,
    files,
    deployment: metadata.deployment,
    namespace: begun.namespace,
    head: metadata.head?.number ?? -1,
    hold: (sql) => holdRestore(sql, metadata.deployment),
    onProgress: options.onProgress,
    signal: options.signal,
  };
  const tables = await loadTables(place, begun.tables, metadata);
  await finishRestore(database, dump, begun, options);
  const { deployment, network, head } = metadata;
  return { deployment, network, head: head?.number, tables, isContinued: begun.isContinued };
}

/** Loads the tables that a dump lists, and counts their rows. @throws DumpError, DatabaseError */
export async function loadTables(
  place: LoadPlace,
  tables: readonly StoredTable[],
  metadata: DumpMetadata,
): Promise<RestoreReport["tables"]> {
  const loaded: { type: string; rows: number }[] = [];
  for (const table of tables) {
    const files = metadata.tables.get(table.type);
    if (files) loaded.push({ type: table.type, rows: await loadTable(place, table, files) });
  }
  return loaded;
}
