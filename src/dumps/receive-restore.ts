import { parseJson } from "../base/text/json-value.js";
import type { Database, Sql } from "../store/database/database.js";
import { findDeployment } from "../store/deployments/deployments.js";
import { DumpError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import { readMetadata } from "./dump-metadata.js";
import { type JudgedDump, judgeTexts } from "./judge-dump.js";
import { type LoadPlace, lastVid, loadClamps, loadRows, requireClamps, verifyTable } from "./load-table.js";
import type { ReadLimits } from "./read-dump-file.js";
import { type Begun, beginRestore, finishRestore, placesOf } from "./restore-steps.js";
import { findRestore, holdRestore } from "./restores.js";

/** What a client sends first. */
export interface OfferedDump {
  /** The content of `metadata.json`. */
  readonly metadata: string;
  readonly schema: string;
  /** The content of `subgraph.yaml`, if the folder has it. */
  readonly manifest?: string | undefined;
}

/** How far a restore is. */
export interface RestoreState {
  readonly deployment: string;
  readonly network: string;
  /** The last vid of each table that the database has; -1 if there is none. */
  readonly tables: readonly { readonly name: string; readonly lastVid: bigint }[];
  /** Whether a restore that was interrupted is continued. */
  readonly isContinued: boolean;
}

/** Some rows of a table, or the ends of versions, as a file of their own. */
export interface SentPiece {
  readonly table: string;
  /** Ends of versions come before the rows of their table. */
  readonly form: "chunk" | "clamp";
  /** Whether these are the first ends. They replace all that were sent before. */
  readonly isFirst: boolean;
  readonly rows: number;
  /** The bounds of the vids. */
  readonly minVid: bigint;
  readonly maxVid: bigint;
  readonly bytes: Uint8Array;
}

/** There is no restore of this deployment by this project. */
export class NoRestoreError extends Error {
  override readonly name = "NoRestoreError";
}

/** A project that restores over a server. */
export interface RestoringProject {
  readonly database: Database;
  readonly project: string;
}

/**
 * Begins to restore a dump whose rows a client sends piece by piece, or finds the restore that it has begun.
 * @param checkNetwork throws DumpError if the server cannot index a network
 * @throws DumpError if the texts are not those of a dump, the deployment is there, or another project restores it; DatabaseError
 */
export async function beginSentRestore(
  { database, project }: RestoringProject,
  offered: OfferedDump,
  checkNetwork: (network: string) => void,
): Promise<RestoreState> {
  const dump = judged(offered);
  const { deployment, network } = dump.metadata;
  checkNetwork(network);
  if (await findDeployment(database, deployment))
    throw new DumpError(`${deployment} is already on this server`, {
      hint: "It can be deployed, and goes on from where it is. To restore it again, first delete its versions.",
    });
  const { metadata, schema, manifest } = offered;
  const texts = JSON.stringify({ metadata, schema, manifest });
  const begun = await beginRestore(database, dump, { project, texts });
  const tables = [];
  for (const table of begun.tables.filter(({ type }) => dump.metadata.tables.has(type)))
    tables.push({ name: table.type, lastVid: await lastVid(database, table) });
  return { deployment, network, tables, isContinued: begun.isContinued };
}

/**
 * Loads a piece of a restore. A piece that was loaded before is passed over.
 * @throws NoRestoreError, DumpError, DatabaseError
 */
export async function addPiece(
  own: RestoringProject,
  deployment: string,
  piece: SentPiece,
  limits: ReadLimits,
): Promise<void> {
  const { dump, begun } = await openRestore(own, deployment);
  const table = begun.tables.find(({ type }) => type === piece.table);
  const files = dump.metadata.tables.get(piece.table);
  if (!table || !files) throw new DumpError(`the dump has no table ${piece.table}`);
  const { minVid, maxVid, rows } = piece;
  if (maxVid > files.maxVid)
    throw new DumpError(`${piece.table} ends with vid ${files.maxVid}, and the piece with ${maxVid}`);
  const chunk = { file: `${piece.table} from vid ${minVid}`, minVid, maxVid, rows };
  const place: LoadPlace = { ...placeOf(own, dump, begun), files: onlyFile(piece.bytes), limits };
  if (piece.form === "clamp") return loadClamps(place, table, chunk, piece.isFirst);
  const hasClamps = files.clamps.length > 0;
  if (hasClamps) await requireClamps(place, table);
  await loadRows(place, table, { chunk, last: await lastVid(own.database, table), hasClamps });
}

/**
 * Counts what was loaded, creates the indexes, and makes the deployment visible.
 * @param within further work of the transaction that does so
 * @throws NoRestoreError, DumpError, DatabaseError; what the signal was aborted with
 */
export async function completeRestore(
  own: RestoringProject,
  deployment: string,
  signal: AbortSignal,
  within: (sql: Sql) => Promise<void>,
): Promise<void> {
  const { dump, begun } = await openRestore(own, deployment);
  if (await isRestored(own, deployment))
    throw new DumpError(`${deployment} was deployed and indexed meanwhile`, {
      hint: "Delete its versions, and repeat the command to put the dump in their place.",
    });
  const place = placeOf(own, dump, begun);
  for (const table of begun.tables) {
    const files = dump.metadata.tables.get(table.type);
    signal.throwIfAborted();
    if (files) await verifyTable(place, table, files);
  }
  await finishRestore(own.database, dump, begun, { replace: false, within, signal });
}

/** Whether a deployment is there, so that its restore may have been completed. @throws DatabaseError */
export async function isRestored({ database }: RestoringProject, deployment: string): Promise<boolean> {
  return (await findDeployment(database, deployment)) !== undefined;
}

interface OpenRestore {
  readonly dump: JudgedDump;
  readonly begun: Omit<Begun, "isContinued">;
}

/** @throws NoRestoreError, DatabaseError */
async function openRestore(
  { database, project }: RestoringProject,
  deployment: string,
): Promise<OpenRestore> {
  const found = await findRestore(database, project, deployment);
  const offered = found && (parseJson(found.texts) as OfferedDump | undefined);
  if (!found || !offered) throw new NoRestoreError(`nothing of ${deployment} is being restored`);
  const dump = judged(offered);
  return { dump, begun: placesOf(dump, found.id) };
}

function judged({ metadata, schema, manifest }: OfferedDump): JudgedDump {
  return judgeTexts(readMetadata(metadata), schema, manifest);
}

function placeOf({ database }: RestoringProject, { metadata }: JudgedDump, begun: OpenRestore["begun"]) {
  const { deployment, head } = metadata;
  const hold = (sql: Sql): Promise<boolean> => holdRestore(sql, deployment);
  return { database, deployment, namespace: begun.namespace, head: head?.number ?? -1, hold };
}

/** A folder with the bytes of one file, whatever its name is. */
function onlyFile(bytes: Uint8Array): Pick<DumpFiles, "open"> {
  return {
    open: async () => ({
      size: bytes.length,
      async read(position, length) {
        if (position < 0 || position + length > bytes.length)
          throw new Error("the file is shorter than it says");
        return bytes.subarray(position, position + length);
      },
      close: async () => undefined,
    }),
  };
}
