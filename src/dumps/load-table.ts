import { createHash } from "node:crypto";
import { messageOf } from "../base/text/message-of.js";
import {
  type Database,
  DatabaseError,
  SQL,
  type Sql,
  type SqlFragment,
  type SqlText,
} from "../store/database/database.js";
import { quoteNames } from "../store/database/quote.js";
import { arrayText } from "../store/database/sql-array.js";
import { versionColumn } from "../store/tables/versions-sql.js";
import { DumpError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import type { DumpChunk, DumpTable } from "./dump-metadata.js";
import { clampColumns, insertion, type StoredTable } from "./dump-tables.js";
import { type ReadBatch, type ReadLimits, readDumpFile } from "./read-dump-file.js";
import type { TextColumns } from "./write-dump-file.js";

/** Where rows are loaded, and from where. */
export interface LoadPlace {
  readonly database: Database;
  readonly files: Pick<DumpFiles, "open">;
  readonly deployment: string;
  readonly namespace: string;
  /** The last block, which no version begins or ends after; -1 if there is none. */
  readonly head: number;
  /** Locks the restore until the end of the transaction. Returns whether it is still there. */
  readonly hold: (sql: Sql) => Promise<boolean>;
  /** Limits for files that a stranger has sent. */
  readonly limits?: ReadLimits | undefined;
  readonly onProgress?: ((table: string, rows: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How much is done at a time. */
export interface BatchSize {
  readonly rows: number;
  readonly characters: number;
}

/** Rows of one transaction. */
const transactionSize: BatchSize = { rows: 5_000, characters: 8 * 1024 * 1024 };

/** The table that holds the ends of versions while the rows of their table are loaded. */
function clampsName(namespace: string, { type }: StoredTable): SqlFragment {
  // Names of types can be as long as a name may be.
  const digest = createHash("sha256").update(type).digest("hex").slice(0, 16);
  return quoteNames(namespace, `clamps$${digest}`);
}

/**
 * Loads the rows of a table, and counts them. Rows that an interrupted restore has loaded are skipped.
 * @returns the number of rows of the table
 * @throws DumpError, DatabaseError
 */
export async function loadTable(place: LoadPlace, table: StoredTable, files: DumpTable): Promise<number> {
  for (const [index, chunk] of files.clamps.entries()) await loadClamps(place, table, chunk, index === 0);
  let last = await lastVid(place.database, table);
  let loaded = 0;
  for (const chunk of files.chunks) {
    loaded += chunk.rows;
    last = await loadRows(place, table, { chunk, last, hasClamps: files.clamps.length > 0 }, () =>
      place.onProgress?.(table.type, loaded),
    );
  }
  return verifyTable(place, table, files);
}

/**
 * Loads the rows of a file that are not there yet.
 * @param rows the file, the last vid of the table, and whether ends of versions were loaded for it
 * @returns the last vid now
 * @throws DumpError, DatabaseError
 */
export async function loadRows(
  place: LoadPlace,
  table: StoredTable,
  rows: { readonly chunk: DumpChunk; readonly last: bigint; readonly hasClamps: boolean },
  onBatch: () => void = () => undefined,
): Promise<bigint> {
  const { chunk } = rows;
  let { last } = rows;
  if (chunk.maxVid <= last) return last;
  const statement = insertion(table, rows.hasClamps ? clampsName(place.namespace, table) : undefined);
  for await (const batch of gathered(newRows(place, table, chunk, last), transactionSize)) {
    place.signal?.throwIfAborted();
    await insertRows(place, table, { statement, chunk, batch, last });
    last = batch.vids.at(-1) ?? last;
    onBatch();
  }
  return last;
}

/** The last vid of a table; -1 if it is empty. @throws DatabaseError */
export async function lastVid(sql: Sql, { name }: StoredTable): Promise<bigint> {
  const [row] = await sql.query(SQL`select max(vid) as last from ${name}`);
  return BigInt(row?.last ?? -1);
}

/**
 * Loads the ends of versions, before the rows of their table. Those of later files win.
 * @param isFirst drops what was loaded before
 * @throws DumpError, DatabaseError
 */
export async function loadClamps(
  { database, files, namespace, head, limits }: LoadPlace,
  table: StoredTable,
  chunk: DumpChunk,
  isFirst: boolean,
): Promise<void> {
  const name = clampsName(namespace, table);
  if (isFirst)
    await database.run(SQL`create table if not exists ${name} (vid bigint primary key, ended integer not null);
      truncate ${name}`);
  for await (const {
    columns: [vids = [], ends = []],
  } of readDumpFile(files, chunk, clampColumns(table), limits)) {
    judgeEnds(chunk, ends, head);
    await database.query(
      SQL`insert into ${name} (vid, ended) select * from unnest($1::bigint[], $2::integer[])
        on conflict (vid) do update set ended = excluded.ended`,
      [arrayText(vids), arrayText(ends)],
    );
  }
}

/** @throws DumpError for a version that ends after the last block */
export function judgeEnds({ file }: DumpChunk, ends: readonly SqlText[], head: number): void {
  const late = ends.find((end) => Number(end) > head);
  if (late !== undefined)
    throw new DumpError(`${file}: a version ends in block ${late}, after the last one, ${head}`);
}

/** The rows of a file after a vid, judged. @throws DumpError */
export async function* newRows(
  { files, head, limits }: Pick<LoadPlace, "files" | "head" | "limits">,
  table: StoredTable,
  chunk: DumpChunk,
  last: bigint,
): AsyncGenerator<ReadBatch> {
  for await (const { vids, columns } of readDumpFile(files, chunk, table.columns, limits)) {
    judgeBlocks(table, chunk, columns, head);
    const first = vids.findIndex((vid) => vid > last);
    if (first === 0) yield { vids, columns };
    else if (first > 0)
      yield { vids: vids.slice(first), columns: columns.map((values) => values.slice(first)) };
  }
}

/** @throws DumpError for a version that is valid in no block, or begins or ends after the last one */
export function judgeBlocks(
  table: Pick<StoredTable, "immutable">,
  { file }: Pick<DumpChunk, "file">,
  columns: TextColumns,
  head: number,
): void {
  const [vids = [], begins = [], ends = []] = columns;
  for (const [index, begin] of begins.entries()) {
    const end = table.immutable ? null : ends[index];
    const from = Number(begin);
    const to = end == null ? undefined : Number(end);
    if (from < 0 || from > head || (to !== undefined && (to <= from || to > head)))
      throw new DumpError(
        `${file}: the row with vid ${vids[index]} is valid from block ${from}${to === undefined ? "" : ` to ${to}`}, and ${shownEnd(head)}`,
      );
  }
}

function shownEnd(head: number): string {
  return head < 0 ? "the dump has no last block" : `the last block is ${head}`;
}

/** Joins small batches, because each transaction and each request takes its time. */
export async function* gathered(
  batches: AsyncIterable<ReadBatch>,
  most: BatchSize,
): AsyncGenerator<ReadBatch> {
  let held: ReadBatch[] = [];
  let [rows, characters] = [0, 0];
  const joined = (): ReadBatch => {
    const [first] = held;
    const all = {
      vids: held.flatMap(({ vids }) => vids),
      columns: (first?.columns ?? []).map((_, index) => held.flatMap(({ columns }) => columns[index] ?? [])),
    };
    held = [];
    [rows, characters] = [0, 0];
    return all;
  };
  for await (const batch of batches) {
    held.push(batch);
    rows += batch.vids.length;
    for (const values of batch.columns) for (const value of values) characters += value?.length ?? 0;
    if (rows >= most.rows || characters >= most.characters) yield joined();
  }
  if (held.length > 0) yield joined();
}

async function insertRows(
  { database, deployment, hold }: LoadPlace,
  table: StoredTable,
  rows: {
    readonly statement: SqlFragment;
    readonly chunk: DumpChunk;
    readonly batch: ReadBatch;
    /** The last vid before these rows. */
    readonly last: bigint;
  },
): Promise<void> {
  const { statement, chunk, batch, last } = rows;
  await database.transaction(async (sql) => {
    if (!(await hold(sql)) || (await lastVid(sql, table)) !== last)
      throw new DatabaseError(`another process restores ${deployment}`, { hint: "Let one of them finish." });
    try {
      await sql.query(statement, batch.columns.map(arrayText));
    } catch (error) {
      // A value that the database refuses, or a second entity with an id.
      if (!(error instanceof DatabaseError && /^2[23]/.test(error.code ?? ""))) throw error;
      throw new DumpError(`${chunk.file}: the database refuses rows after vid ${last}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  });
}

/**
 * Counts the rows of a table that was loaded.
 * @returns the number of rows
 * @throws DumpError if rows are missing, or clamps are of no row; DatabaseError
 */
export async function verifyTable(
  { database, namespace }: Pick<LoadPlace, "database" | "namespace">,
  table: StoredTable,
  files: DumpTable,
): Promise<number> {
  const wanted = files.chunks.reduce((sum, { rows }) => sum + rows, 0);
  const clamps = files.clamps.length > 0 ? clampsName(namespace, table) : undefined;
  const empty = table.immutable ? SQL`0` : SQL`count(*) filter (where isempty(${versionColumn(table).name}))`;
  const versions = versionColumn(table).name;
  // A row that was loaded before its end would stay open.
  const strays = clamps
    ? SQL`(select count(*) from ${clamps} e where not exists
        (select from ${table.name} t where t.vid = e.vid and not upper_inf(t.${versions})))`
    : SQL`0`;
  const [row] = await database.query(
    SQL`select count(*) as rows, ${empty} as empty, ${strays} as strays from ${table.name}`,
  );
  const { rows, empty: never, strays: stray } = row ?? {};
  if (Number(rows) !== wanted)
    throw new DumpError(`${table.type} has ${rows} rows in the database, and ${wanted} in the dump`);
  if (Number(never) > 0)
    throw new DumpError(`${table.type} has ${never} rows that end in the block in which they begin`);
  if (Number(stray) > 0)
    throw new DumpError(
      `${table.type} has ${stray} clamps of rows that the dump does not have, or that were loaded before them`,
    );
  return wanted;
}

/**
 * Makes sure that ends of versions were loaded before rows that need them.
 * @throws DumpError, DatabaseError
 */
export async function requireClamps(
  { database, namespace }: Pick<LoadPlace, "database" | "namespace">,
  table: StoredTable,
): Promise<void> {
  const [row] = await database.query(SQL`select to_regclass($1::text) as found`, [
    clampsName(namespace, table),
  ]);
  if (row?.found == null) throw new DumpError(`the clamps of ${table.type} come before its rows`);
}

/** Drops the ends of versions that were loaded for some tables. @throws DatabaseError */
export async function dropClamps(sql: Sql, namespace: string, tables: readonly StoredTable[]): Promise<void> {
  // The last one is of restores that an earlier version has begun.
  const names = [...tables.map((table) => clampsName(namespace, table)), quoteNames(namespace, "clamps$")];
  for (const name of names) await sql.run(SQL`drop table if exists ${name}`);
}
