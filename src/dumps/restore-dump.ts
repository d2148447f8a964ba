import { createHash } from "node:crypto";
import { poiVariant } from "../runtime/poi/proof-of-indexing.js";
import { type Database, DatabaseError, SQL, type Sql } from "../store/database/database.js";
import { type Deployment, findDeployment, lockDeployments } from "../store/deployments/deployments.js";
import { dropDeploymentIn } from "../store/deployments/drop-deployment.js";
import { addRestored, reserveNumber } from "../store/deployments/restored-deployment.js";
import { nameRun, type RunName } from "../store/deployments/run-names.js";
import { moveSequence } from "../store/tables/copy-tables.js";
import { createBareTables, createIndexes } from "../store/tables/create-tables.js";
import { layOut } from "../store/tables/lay-out.js";
import type { Layout } from "../store/tables/layout.js";
import { DumpError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import { allHistory } from "./dump-metadata.js";
import { proofOf } from "./dump-source.js";
import { dataSourcesType, type StoredTable, storedTables } from "./dump-tables.js";
import { type JudgedDump, judgeDump } from "./judge-dump.js";
import { clampsName, type LoadPlace, loadTable } from "./load-table.js";
import { addRestore, dropAbandoned, dropRestore, endRestore, holdRestore } from "./restores.js";

/** What was restored. */
export interface RestoreReport {
  readonly deployment: string;
  readonly network: string;
  readonly head?: number | undefined;
  readonly tables: readonly { readonly type: string; readonly rows: number }[];
  /** Whether a restore that was interrupted has been continued. */
  readonly isContinued: boolean;
}

export interface RestoreOptions {
  /** Drops what the database has of the deployment, in the moment in which the restored one takes its place. */
  readonly replace: boolean;
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
  const begun = await begin(database, dump);
  await dropAbandoned(database);
  const place: LoadPlace = {
    database,
    files,
    deployment: metadata.deployment,
    namespace: begun.namespace,
    head: metadata.head?.number ?? -1,
    onProgress: options.onProgress,
    signal: options.signal,
  };
  const tables: { type: string; rows: number }[] = [];
  for (const table of begun.tables) {
    const files = metadata.tables.get(table.type);
    if (files) tables.push({ type: table.type, rows: await loadTable(place, table, files) });
  }
  for (const statement of createIndexes(begun.layout)) {
    options.signal?.throwIfAborted();
    await database.run(statement);
  }
  options.signal?.throwIfAborted();
  await finish(database, dump, begun, options);
  const { deployment, network, head } = metadata;
  return { deployment, network, head: head?.number, tables, isContinued: begun.isContinued };
}

/** @throws DumpError if the deployment is there and must stay */
async function checkFree(
  sql: Sql,
  deployment: string,
  { replace }: RestoreOptions,
): Promise<Deployment | undefined> {
  const found = await findDeployment(sql, deployment);
  if (found && !replace)
    throw new DumpError(`${deployment} is already in the database`, {
      hint: "Pass --replace to drop what was indexed, and to put the dump in its place.",
    });
  return found;
}

/** A restore under way. */
interface Begun {
  /** The deployment's number. */
  readonly id: number;
  readonly namespace: string;
  readonly layout: Layout;
  readonly tables: readonly StoredTable[];
  readonly isContinued: boolean;
}

/** Creates the tables, or finds those of a restore of the same folder. */
async function begin(database: Database, dump: JudgedDump): Promise<Begun> {
  const { metadata, schema, entities } = dump;
  const { deployment } = metadata;
  const folder = createHash("sha256")
    .update(JSON.stringify([dump.text, schema]))
    .digest("hex");
  return database.transaction(async (sql) => {
    await lockDeployments(sql);
    const [row] = await sql.query(
      SQL`select id, folder from graphloom.restores where deployment = $1::text for update`,
      [deployment],
    );
    const isContinued = row?.folder === folder;
    if (isContinued) await holdRestore(sql, deployment);
    else if (row) await dropRestore(sql, deployment, Number(row.id));
    const id = isContinued ? Number(row?.id) : await reserveNumber(sql);
    const namespace = `sgd${id}`;
    const layout = layOut(entities, namespace, { fileTypes: new Set(metadata.manifest.fileTypes) });
    if (!isContinued) {
      await sql.run(createBareTables(layout));
      await addRestore(sql, { deployment, id, folder });
    }
    return { id, namespace, layout, tables: storedTables(layout, true), isContinued };
  });
}

/** Makes the restored deployment visible, in one transaction. */
async function finish(
  database: Database,
  { metadata, schema, sourceNames, hasProofs }: JudgedDump,
  { id, namespace, tables }: Begun,
  options: RestoreOptions,
): Promise<void> {
  const { deployment, network, manifest, head, startBlock, own, graftBase: base, graftBlock } = metadata;
  const grafted = graftBlock?.number ?? own?.graftBlock;
  const { specVersion, historyBlocks, description, repository, features, fileTypes } = manifest;
  await database.transaction(async (sql) => {
    await lockDeployments(sql);
    if (!(await endRestore(sql, { deployment, id }))) throw anotherRestores(deployment);
    if (await checkFree(sql, deployment, options)) await dropDeploymentIn(sql, deployment);
    for (const table of tables)
      if (table.type === dataSourcesType || /_(?:hour|day)$/.test(table.type))
        await moveSequence(sql, table.name);
    await sql.run(SQL`drop table if exists ${clampsName(namespace)}`);
    await addRestored(sql, {
      id,
      deployment,
      network,
      schema,
      fileTypes,
      sourceNames,
      startBlock: own?.firstBlock ?? (startBlock ? startBlock.number + 1 : 0),
      earliestBlock: metadata.earliestBlock,
      historyBlocks: historyBlocks === allHistory ? undefined : historyBlocks,
      head,
      graft: base !== undefined && grafted !== undefined ? { base, block: grafted } : undefined,
      proofVariant: hasProofs ? poiVariant({ specVersion }) : undefined,
      manifest: {
        specVersion,
        description,
        repository,
        features,
        startHash: startBlock?.hash,
        graftHash: graftBlock?.hash,
      },
    });
    const proof = await proofOf(sql, deployment, head);
    if (own?.proof !== undefined && own.proof !== proof)
      throw new DumpError(
        `the proof of indexing is ${proof ?? "missing"}, and that of the dump was ${own.proof}`,
      );
    if (options.name) await nameRun(sql, options.name, { network, deployment });
  });
}

function anotherRestores(deployment: string): DatabaseError {
  return new DatabaseError(`another process restores ${deployment}, or has just restored it`, {
    hint: "Let one of them finish.",
  });
}
