import { cell } from "../store/database/columns.js";
import { type Database, SQL, type Sql } from "../store/database/database.js";
import { versionsSql } from "../store/tables/versions-sql.js";
import type { DumpColumn } from "./dump-columns.js";
import { DumpError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import { clearLeftovers, lockedFolder, readDumpFolder } from "./dump-folder.js";
import {
  type DumpChunk,
  type DumpMetadata,
  type DumpTable,
  metadataName,
  printMetadata,
} from "./dump-metadata.js";
import { type DumpSource, ownSource } from "./dump-source.js";
import { clampColumns, type StoredTable } from "./dump-tables.js";
import { forgetPartial } from "./partial-dump.js";
import { readRows, type WantedRows } from "./read-rows.js";
import { dumpFile, type TextColumns } from "./write-dump-file.js";

/** What a dump has added to its folder. */
export interface DumpReport {
  readonly deployment: string;
  /** The last block of the dump; missing if none was indexed. */
  readonly head?: number | undefined;
  /** The last block of the dump that it continues. */
  readonly previous?: number | undefined;
  readonly tables: readonly DumpedTable[];
}

/** What a dump has added for a table. */
export interface DumpedTable {
  readonly type: string;
  readonly rows: number;
  /** How many earlier rows have ended since the previous dump. */
  readonly clamps: number;
}

export interface DumpOptions {
  /** Receives the number of rows of a table that were read so far. */
  readonly onProgress?: (table: string, rows: number) => void;
  readonly signal?: AbortSignal | undefined;
  /** Reads the deployment as of the transaction; by default one of graphloom. */
  readonly source?: (sql: Sql, deployment: string) => Promise<DumpSource>;
}

/**
 * Writes everything that was indexed for a build into a folder, in the format of graph-node's dumps. A folder that already
 * has a dump gets what is new since then. It is complete once `metadata.json` is replaced at the end; what a killed dump
 * leaves is written again by the next one.
 * @param deployment the IPFS hash of the manifest
 * @throws DumpError, DatabaseError, and errors of the system
 */
export async function writeDump(
  database: Database,
  files: DumpFiles,
  deployment: string,
  options: DumpOptions = {},
): Promise<DumpReport> {
  return lockedFolder(files, () => writeLocked(database, files, deployment, options));
}

async function writeLocked(
  database: Database,
  files: DumpFiles,
  deployment: string,
  options: DumpOptions,
): Promise<DumpReport> {
  const { signal, source: read = ownSource } = options;
  const previous = await readDumpFolder(files);
  await clearLeftovers(files, previous);
  await forgetPartial(files);
  const { source, metadata, report } = await database.transaction(
    async (sql) => {
      const source = await read(sql, deployment);
      if (previous) await checkContinues(source, previous);
      return { source, ...(await dumpTables(sql, files, source, previous, options)) };
    },
    { snapshot: true, signal },
  );
  await files.write("schema.graphql", Buffer.from(source.schema));
  if (source.manifest !== undefined) await files.write("subgraph.yaml", Buffer.from(source.manifest));
  await files.write(metadataName, Buffer.from(printMetadata(metadata)));
  return report;
}

/** As graph-node, refuses to continue a dump that may contain blocks of another branch. */
async function checkContinues({ facts, hasBlock }: DumpSource, previous: DumpMetadata): Promise<void> {
  const { head } = previous;
  const hint = "Choose an empty folder, or delete this one.";
  if (previous.deployment !== facts.deployment)
    throw new DumpError(`the folder has a dump of ${previous.deployment}, not of ${facts.deployment}`, {
      hint,
    });
  if (!head) return;
  const now = facts.head?.number ?? -1;
  if (now === head.number && facts.head?.hash === head.hash)
    throw new DumpError(`the folder already has all blocks, up to ${now}`, {
      hint: "Dump again once more blocks are indexed.",
    });
  if ((await hasBlock(head)) === false)
    throw new DumpError(
      `the folder has a dump of block ${head.number}, and the chain has replaced this block, or the deployment was indexed again`,
      { hint },
    );
}

async function dumpTables(
  sql: Sql,
  files: DumpFiles,
  { tables: stored, facts, countEntities }: DumpSource,
  previous: DumpMetadata | undefined,
  options: DumpOptions,
): Promise<{ readonly metadata: DumpMetadata; readonly report: DumpReport }> {
  const tables = new Map(previous?.tables);
  const dumped: DumpedTable[] = [];
  for (const table of stored) {
    const before = tables.get(table.type);
    const after = await dumpTable(sql, files, table, before, { ...options, last: previous?.head?.number });
    tables.set(table.type, after);
    dumped.push(addedRows(table.type, after, before));
  }
  const heads = { head: facts.head?.number, previous: previous?.head?.number };
  return {
    metadata: { ...facts, entityCount: await countEntities(), tables },
    report: { deployment: facts.deployment, ...heads, tables: dumped },
  };
}

/** What a dump has added to a table. @param before as the previous dump has it */
export function addedRows(type: string, after: DumpTable, before: DumpTable | undefined): DumpedTable {
  return {
    type,
    rows: rowsIn(after.chunks) - rowsIn(before?.chunks ?? []),
    clamps: rowsIn(after.clamps) - rowsIn(before?.clamps ?? []),
  };
}

/** The number of rows in files. */
export function rowsIn(chunks: readonly DumpChunk[]): number {
  return chunks.reduce((sum, { rows }) => sum + rows, 0);
}

interface TableOptions extends DumpOptions {
  /** The last block of the previous dump. */
  readonly last: number | undefined;
}

async function dumpTable(
  sql: Sql,
  files: DumpFiles,
  table: StoredTable,
  before: DumpTable | undefined,
  { last, ...options }: TableOptions,
): Promise<DumpTable> {
  const { type, immutable, causalityRegion, columns } = table;
  const chunks = [...(before?.chunks ?? [])];
  const clamps = [...(before?.clamps ?? [])];
  const known = before?.maxVid ?? -1n;
  await files.makeFolder(type);
  if (!immutable && known >= 0n && last !== undefined) {
    const ended = versionsSql(table).hasEnded(SQL`> $3::integer`);
    const where = {
      condition: SQL`vid > $1::bigint and vid <= $2::bigint and ${ended}`,
      more: [String(last)],
    };
    const file = nextFile(type, "clamp", clamps);
    const wanted = { table, columns: clampColumns(table), from: -1n, to: known, ...where };
    clamps.push(...(await writeChunk(sql, files, file, wanted, options)));
  }
  const file = nextFile(type, "chunk", chunks);
  const wanted = { table, columns, from: known, to: 2n ** 63n - 1n };
  const condition = SQL`vid > $1::bigint and vid <= $2::bigint`;
  chunks.push(...(await writeChunk(sql, files, file, { ...wanted, condition, more: [] }, options)));
  const maxVid = chunks.at(-1)?.maxVid ?? -1n;
  return { immutable, hasCausalityRegion: causalityRegion, chunks, clamps, maxVid };
}

/** The path of the next file of a table. @param known its files of this form */
export function nextFile(type: string, form: "chunk" | "clamp", known: readonly DumpChunk[]): string {
  return `${type}/${form}_${String(known.length).padStart(6, "0")}.parquet`;
}

/** @returns none if there are no such rows */
async function writeChunk(
  sql: Sql,
  files: DumpFiles,
  file: string,
  wanted: WantedRows,
  { onProgress, signal }: DumpOptions,
): Promise<readonly DumpChunk[]> {
  const { table, columns, condition, from, to, more } = wanted;
  const [found] = await sql.query(
    SQL`select count(*) as rows, min(vid) as first, max(vid) as last from ${table.name} where ${condition}`,
    [String(from), String(to), ...more],
  );
  if (found?.first == null || found.last == null) return [];
  const bounds = { minVid: BigInt(found.first), maxVid: BigInt(found.last) };
  let written = 0;
  const counted = async function* (): AsyncGenerator<TextColumns> {
    for await (const { columns: batch } of readRows(sql, { ...wanted, to: bounds.maxVid })) {
      signal?.throwIfAborted();
      yield batch;
      written += batch[0]?.length ?? 0;
      onProgress?.(table.type, written);
    }
  };
  const fileColumns: readonly DumpColumn[] = columns;
  await files.write(file, dumpFile(fileColumns, counted()));
  return [{ file, ...bounds, rows: Number(cell(found, "rows")) }];
}
