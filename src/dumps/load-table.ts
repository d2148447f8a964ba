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
import { type ReadBatch, readDumpFile } from "./read-dump-file.js";
import { holdRestore } from "./restores.js";
import type { TextColumns } from "./write-dump-file.js";

/** Where rows are loaded, and from where. */
export interface LoadPlace {
  readonly database: Database;
  readonly files: DumpFiles;
  readonly deployment: string;
  readonly namespace: string;
  /** The last block, which no version begins or ends after; -1 if there is none. */
  readonly head: number;
  readonly onProgress?: ((table: string, rows: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Rows of one transaction. */
const mostRows = 5_000;
const mostCharacters = 8 * 1024 * 1024;

/** The table that holds the ends of versions while the rows of their table are loaded. */
export function clampsName(namespace: string): SqlFragment {
  return quoteNames(namespace, "clamps$");
}

/**
 * Loads the rows of a table, and counts them. Rows that an interrupted restore has loaded are skipped.
 * @returns the number of rows of the table
 * @throws DumpError, DatabaseError
 */
export async function loadTable(place: LoadPlace, table: StoredTable, files: DumpTable): Promise<number> {
  const wanted = files.chunks.reduce((sum, { rows }) => sum + rows, 0);
  const clamps = await loadClamps(place, table, files.clamps);
  const statement = insertion(table, clamps);
  let last = await lastVid(place.database, table);
  let loaded = 0;
  for (const chunk of files.chunks) {
    loaded += chunk.rows;
    if (chunk.maxVid <= last) continue;
    for await (const batch of gathered(newRows(place, table, chunk, last))) {
      place.signal?.throwIfAborted();
      await insertRows(place, table, { statement, chunk, batch, last });
      last = batch.vids.at(-1) ?? last;
      place.onProgress?.(table.type, loaded);
    }
  }
  await verify(place, table, wanted, clamps);
  return wanted;
}

async function lastVid(sql: Sql, { name }: StoredTable): Promise<bigint> {
  const [row] = await sql.query(SQL`select max(vid) as last from ${name}`);
  return BigInt(row?.last ?? -1);
}

/** Loads the ends of versions. Those of later files win. */
async function loadClamps(
  { database, files, namespace, head }: LoadPlace,
  table: StoredTable,
  clamps: readonly DumpChunk[],
): Promise<SqlFragment | undefined> {
  if (clamps.length === 0) return undefined;
  const name = clampsName(namespace);
  const required = clampColumns(table);
  await database.run(SQL`create table if not exists ${name} (vid bigint primary key, ended integer not null);
    truncate ${name}`);
  for (const chunk of clamps) {
    for await (const {
      columns: [vids = [], ends = []],
    } of readDumpFile(files, chunk, required)) {
      judgeEnds(chunk, ends, head);
      await database.query(
        SQL`insert into ${name} (vid, ended) select * from unnest($1::bigint[], $2::integer[])
          on conflict (vid) do update set ended = excluded.ended`,
        [arrayText(vids), arrayText(ends)],
      );
    }
  }
  return name;
}

/** @throws DumpError for a version that ends after the last block */
export function judgeEnds({ file }: DumpChunk, ends: readonly SqlText[], head: number): void {
  const late = ends.find((end) => Number(end) > head);
  if (late !== undefined)
    throw new DumpError(`${file}: a version ends in block ${late}, after the last one, ${head}`);
}

/** The rows of a file after a vid, judged. */
async function* newRows(
  { files, head }: LoadPlace,
  table: StoredTable,
  chunk: DumpChunk,
  last: bigint,
): AsyncGenerator<ReadBatch> {
  for await (const { vids, columns } of readDumpFile(files, chunk, table.columns)) {
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

/** Joins small batches, because each transaction takes its time. */
async function* gathered(batches: AsyncIterable<ReadBatch>): AsyncGenerator<ReadBatch> {
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
    if (rows >= mostRows || characters >= mostCharacters) yield joined();
  }
  if (held.length > 0) yield joined();
}

async function insertRows(
  { database, deployment }: LoadPlace,
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
    if (!(await holdRestore(sql, deployment)) || (await lastVid(sql, table)) !== last)
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

/** @throws DumpError if rows are missing or clamps are of no row */
async function verify(
  { database }: LoadPlace,
  table: StoredTable,
  wanted: number,
  clamps: SqlFragment | undefined,
): Promise<void> {
  const empty = table.immutable ? SQL`0` : SQL`count(*) filter (where isempty(${versionColumn(table).name}))`;
  const strays = clamps
    ? SQL`(select count(*) from ${clamps} e where not exists (select from ${table.name} t where t.vid = e.vid))`
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
    throw new DumpError(`${table.type} has ${stray} clamps of rows that the dump does not have`);
}
