import { DumpError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import { readDumpText } from "./dump-folder.js";
import type { DumpChunk } from "./dump-metadata.js";
import { clampColumns, type StoredColumn, type StoredTable } from "./dump-tables.js";
import { type JudgedDump, judgeDump } from "./judge-dump.js";
import { type BatchSize, gathered, judgeEnds, newRows } from "./load-table.js";
import { type ReadBatch, readDumpFile } from "./read-dump-file.js";
import type { OfferedDump, RestoreState, SentPiece } from "./receive-restore.js";
import type { RestoreReport } from "./restore-dump.js";
import { rowsIn } from "./write-dump.js";
import { dumpFile } from "./write-dump-file.js";

/** A server that restores what it is sent. Each method throws errors of the connection. */
export interface RestoreServer {
  /** Begins a restore, or finds the one that was begun. */
  begin(dump: OfferedDump): Promise<RestoreState>;
  add(deployment: string, piece: SentPiece): Promise<void>;
  /** Completes the restore, or waits for that for a while. @returns whether it is complete */
  complete(deployment: string): Promise<boolean>;
  /**
   * Waits before another attempt, if an error may pass.
   * @param failures how many attempts have failed in a row
   * @returns whether to try again
   */
  mayPass(error: unknown, failures: number): Promise<boolean>;
}

export interface SendOptions {
  /** Receives the number of rows of a table that the server has. */
  readonly onProgress?: (table: string, rows: number) => void;
  /** The size of pieces; a single row may be larger. */
  readonly size?: BatchSize;
  /** Called while the server counts rows and creates indexes. */
  readonly onCompleting?: () => void;
}

const usualSize: BatchSize = { rows: 50_000, characters: 4 * 1024 * 1024 };

/**
 * Sends a dump to a server, which restores it. All values are judged before they are sent. Repeated, it continues after
 * an interruption.
 * @throws DumpError, errors of the server, and of the system
 */
export async function sendRestore(
  files: DumpFiles,
  server: RestoreServer,
  options: SendOptions = {},
): Promise<RestoreReport> {
  const dump = await judgeDump(files);
  const manifest = await readDumpText(files, "subgraph.yaml");
  const offered = { metadata: dump.text, schema: dump.schema, manifest };
  const state = await trying(server, () => server.begin(offered));
  const { deployment, network, head } = dump.metadata;
  if (state.deployment !== deployment)
    throw new DumpError(`the server restores ${state.deployment}, and the dump is of ${deployment}`);
  const tables: { type: string; rows: number }[] = [];
  for (const table of dump.tables) {
    const known = state.tables.find(({ name }) => name === table.type);
    if (!known) throw new DumpError(`the server has no table ${table.type}`);
    tables.push({
      type: table.type,
      rows: await sendTable({ dump, files, server, options }, table, known.lastVid),
    });
  }
  options.onCompleting?.();
  while (!(await trying(server, () => server.complete(deployment)))) options.onCompleting?.();
  return { deployment, network, head: head?.number, tables, isContinued: state.isContinued };
}

interface Sending {
  readonly dump: JudgedDump;
  readonly files: DumpFiles;
  readonly server: RestoreServer;
  readonly options: SendOptions;
}

/** @param last the last vid that the server has @returns the number of rows of the table */
async function sendTable(
  { dump: { metadata }, files, server, options }: Sending,
  table: StoredTable,
  last: bigint,
): Promise<number> {
  const { chunks = [], clamps = [], maxVid = -1n } = metadata.tables.get(table.type) ?? {};
  const rows = rowsIn(chunks);
  const { size = usualSize } = options;
  if (last >= maxVid) return rows;
  const head = metadata.head?.number ?? -1;
  const add = async (
    form: SentPiece["form"],
    columns: readonly StoredColumn[],
    batch: ReadBatch,
    isFirst: boolean,
  ): Promise<void> => {
    const [minVid = 0n] = batch.vids;
    const piece = {
      table: table.type,
      form,
      isFirst,
      rows: batch.vids.length,
      minVid,
      maxVid: batch.vids.at(-1) ?? minVid,
      bytes: await fileOf(columns, batch),
    };
    await trying(server, () => server.add(metadata.deployment, piece));
  };
  let isFirst = true;
  for (const chunk of clamps)
    for await (const batch of gathered(endsIn(files, table, chunk, head), size)) {
      await add("clamp", clampColumns(table), batch, isFirst);
      isFirst = false;
    }
  let sent = 0;
  for (const chunk of chunks) {
    sent += chunk.rows;
    if (chunk.maxVid <= last) continue;
    for await (const batch of gathered(newRows({ files, head }, table, chunk, last), size))
      await add("chunk", table.columns, batch, false);
    options.onProgress?.(table.type, sent);
  }
  return rows;
}

async function* endsIn(
  files: DumpFiles,
  table: StoredTable,
  chunk: DumpChunk,
  head: number,
): AsyncGenerator<ReadBatch> {
  for await (const batch of readDumpFile(files, chunk, clampColumns(table))) {
    judgeEnds(chunk, batch.columns[1] ?? [], head);
    yield batch;
  }
}

async function fileOf(columns: readonly StoredColumn[], { columns: values }: ReadBatch): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of dumpFile(columns, only(values))) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* only<Value>(value: Value): AsyncGenerator<Value> {
  yield value;
}

/** Repeats a request while its failures may pass. All requests can be repeated. @throws errors of the request */
async function trying<Result>(server: RestoreServer, request: () => Promise<Result>): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await request();
    } catch (error) {
      if (!(await server.mayPass(error, failures))) throw error;
    }
  }
}
