import { cell } from "../store/database/columns.js";
import { type Database, SQL, type Sql } from "../store/database/database.js";
import { versionsSql } from "../store/tables/versions-sql.js";
import type { DumpColumn } from "./dump-columns.js";
import { DumpError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import { clearLeftovers, readDumpFolder } from "./dump-folder.js";
import {
  type DumpChunk,
  type DumpMetadata,
  type DumpTable,
  metadataName,
  printMetadata,
} from "./dump-metadata.js";
import { type DumpSource, ownSource } from "./dump-source.js";
import { endColumn, type StoredColumn, type StoredTable } from "./dump-tables.js";
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

/** Rows of one statement: enough to be fast, while they have about this many characters. */
const batchCharacters = 2 * 1024 * 1024;
const mostBatchRows = 10_000;

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
  const lock = await files.lock();
  if (lock.kind === "held")
    throw new DumpError("another process is writing a dump to the folder", {
      hint: "Wait until it has ended.",
    });
  try {
    return await writeLocked(database, files, deployment, options);
  } finally {
    lock.release();
  }
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
async function checkContinues({ facts, hashOf }: DumpSource, previous: DumpMetadata): Promise<void> {
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
  const known = now >= head.number ? await hashOf(head.number) : "";
  if (known !== undefined && known !== head.hash)
    throw new DumpError(
      `the folder has a dump of block ${head.number}, and the chain has replaced this block, or the deployment was indexed again`,
      { hint },
    );
}

async function dumpTables(
  sql: Sql,
  files: DumpFiles,
  { tables: stored, facts }: DumpSource,
  previous: DumpMetadata | undefined,
  options: DumpOptions,
): Promise<{ readonly metadata: DumpMetadata; readonly report: DumpReport }> {
  const tables = new Map(previous?.tables);
  const dumped: DumpedTable[] = [];
  for (const table of stored) {
    const before = tables.get(table.type);
    const after = await dumpTable(sql, files, table, before, { ...options, last: previous?.head?.number });
    tables.set(table.type, after);
    dumped.push({
      type: table.type,
      rows: rowsIn(after.chunks) - rowsIn(before?.chunks ?? []),
      clamps: rowsIn(after.clamps) - rowsIn(before?.clamps ?? []),
    });
  }
  const heads = { head: facts.head?.number, previous: previous?.head?.number };
  return {
    metadata: { ...facts, tables },
    report: { deployment: facts.deployment, ...heads, tables: dumped },
  };
}

function rowsIn(chunks: readonly DumpChunk[]): number {
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
    const file = `${type}/clamp_${digits(clamps.length)}.parquet`;
    const some = columns.filter(({ name }) => name === "vid" || name === endColumn);
    const required = some.map((column) => ({ ...column, isNullable: false }));
    const wanted = { table, columns: required, from: -1n, to: known, ...where };
    clamps.push(...(await writeChunk(sql, files, file, wanted, options)));
  }
  const file = `${type}/chunk_${digits(chunks.length)}.parquet`;
  const wanted = { table, columns, from: known, to: 2n ** 63n - 1n };
  const condition = SQL`vid > $1::bigint and vid <= $2::bigint`;
  chunks.push(...(await writeChunk(sql, files, file, { ...wanted, condition, more: [] }, options)));
  const maxVid = chunks.at(-1)?.maxVid ?? -1n;
  return { immutable, hasCausalityRegion: causalityRegion, chunks, clamps, maxVid };
}

function digits(count: number): string {
  return String(count).padStart(6, "0");
}

/** The rows of a file. */
interface WantedRows {
  readonly table: StoredTable;
  readonly columns: readonly StoredColumn[];
  /** The vid before the first one, and the last one. */
  readonly from: bigint;
  readonly to: bigint;
  /** Of the parameters `$1` (from), `$2` (to) and `$3`. */
  readonly condition: ReturnType<typeof SQL>;
  readonly more: readonly string[];
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
    for await (const batch of batches(sql, { ...wanted, to: bounds.maxVid })) {
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

async function* batches(sql: Sql, wanted: WantedRows): AsyncGenerator<TextColumns> {
  const { table, columns, condition, to, more } = wanted;
  const selected = columns.map((column, index) => SQL`${column.selected} as c${index}`);
  let { from } = wanted;
  let limit = 100;
  for (;;) {
    const rows = await sql.query(
      SQL`select ${selected} from ${table.name} where ${condition} order by vid limit ${limit}`,
      [String(from), String(to), ...more],
    );
    if (rows.length === 0) return;
    yield columns.map((_, index) => rows.map((row) => row[`c${index}`] ?? null));
    const last = rows.at(-1);
    from = BigInt(last ? cell(last, "c0") : to);
    if (rows.length < limit) return;
    const characters = rows.reduce(
      (sum, row) => sum + Object.values(row).reduce((all, value) => all + (value?.length ?? 4), 0),
      0,
    );
    const next = Math.floor((batchCharacters / Math.max(1, characters)) * rows.length);
    limit = Math.max(1, Math.min(mostBatchRows, next, 4 * limit));
  }
}
