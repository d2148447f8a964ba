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
import { allHistory } from "./dump-metadata.js";
import { proofOf } from "./dump-source.js";
import { isNumbered, type StoredTable, storedTables } from "./dump-tables.js";
import type { JudgedDump } from "./judge-dump.js";
import { dropClamps } from "./load-table.js";
import { addRestore, dropRestore, endRestore, holdRestore, type RestoreOwner } from "./restores.js";

/** @throws DumpError if the deployment is there and must stay */
export async function checkFree(
  sql: Sql,
  deployment: string,
  { replace }: Replacing,
): Promise<Deployment | undefined> {
  const found = await findDeployment(sql, deployment);
  if (found && !replace)
    throw new DumpError(`${deployment} is already in the database`, {
      hint: "Pass --replace to drop what was indexed, and to put the dump in its place.",
    });
  return found;
}

/** A restore under way. */
export interface Begun {
  /** The deployment's number. */
  readonly id: number;
  readonly namespace: string;
  readonly layout: Layout;
  readonly tables: readonly StoredTable[];
  readonly isContinued: boolean;
}

/** Whether a restore drops what the database has of the deployment. */
export interface Replacing {
  readonly replace: boolean;
}

/** Identifies what is restored. */
export function folderHash({ text, schema }: Pick<JudgedDump, "text" | "schema">): string {
  return createHash("sha256")
    .update(JSON.stringify([text, schema]))
    .digest("hex");
}

/**
 * Creates the tables, or finds those of a restore of the same folder.
 * @param owner the project that restores over the server, and what it has sent
 * @throws DumpError if another project restores the deployment; DatabaseError
 */
export async function beginRestore(
  database: Database,
  dump: JudgedDump,
  owner?: RestoreOwner,
): Promise<Begun> {
  const { deployment } = dump.metadata;
  const folder = folderHash(dump);
  return database.transaction(async (sql) => {
    await lockDeployments(sql);
    const [row] = await sql.query(
      SQL`select id, folder, project from graphloom.restores where deployment = $1::text for update`,
      [deployment],
    );
    if (row && owner && row.project !== owner.project) throw anotherOwner(deployment);
    const isContinued = row?.folder === folder;
    if (isContinued) await holdRestore(sql, deployment);
    else if (row) await dropRestore(sql, deployment, Number(row.id));
    const id = isContinued ? Number(row?.id) : await reserveNumber(sql, "graphloom.deployments");
    const begun = { ...placesOf(dump, id), isContinued };
    if (!isContinued) {
      await sql.run(createBareTables(begun.layout));
      await addRestore(sql, { deployment, id, folder, owner });
    }
    return begun;
  });
}

/** Where the tables of a restore are. @param id the number that was reserved for the deployment */
export function placesOf({ entities, metadata }: JudgedDump, id: number): Omit<Begun, "isContinued"> {
  const namespace = `sgd${id}`;
  const layout = layOut(entities, namespace, { fileTypes: new Set(metadata.manifest.fileTypes) });
  return { id, namespace, layout, tables: storedTables(layout, true) };
}

function anotherOwner(deployment: string): DumpError {
  return new DumpError(`${deployment} is being restored already`, {
    hint: "Let that restore finish. One that is left alone is dropped after seven days.",
  });
}

/**
 * Creates the indexes, and makes the restored deployment visible in one transaction.
 * @param options.name the name under which other commands find it
 * @param options.within further work of the transaction
 * @throws DumpError if the proof of indexing is not that of the dump; DatabaseError; what the signal was aborted with
 */
export async function finishRestore(
  database: Database,
  { metadata, schema, sourceNames, hasProofs }: JudgedDump,
  { id, namespace, layout, tables }: Omit<Begun, "isContinued">,
  options: Replacing & {
    readonly name?: RunName | undefined;
    readonly within?: (sql: Sql) => Promise<void>;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<void> {
  for (const statement of createIndexes(layout)) {
    options.signal?.throwIfAborted();
    await database.run(statement);
  }
  options.signal?.throwIfAborted();
  const { deployment, network, manifest, head, startBlock, own, graftBase: base, graftBlock } = metadata;
  const grafted = graftBlock?.number ?? own?.graftBlock;
  const { specVersion, historyBlocks, description, repository, features, fileTypes } = manifest;
  await database.transaction(async (sql) => {
    await lockDeployments(sql);
    if (!(await endRestore(sql, { deployment, id }))) throw anotherRestores(deployment);
    if (await checkFree(sql, deployment, options)) await dropDeploymentIn(sql, deployment);
    for (const table of tables) if (isNumbered(table)) await moveSequence(sql, table.name);
    await dropClamps(sql, namespace, tables);
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
    await options.within?.(sql);
  });
}

/** Two processes restore one deployment. */
export function anotherRestores(deployment: string): DatabaseError {
  return new DatabaseError(`another process restores ${deployment}, or has just restored it`, {
    hint: "Let one of them finish.",
  });
}
