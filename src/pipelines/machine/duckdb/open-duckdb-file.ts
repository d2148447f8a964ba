import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { isUnexpected } from "../../../base/text/message-of.js";
import { literal, quoted } from "../../../base/text/sql-quotes.js";
import { Semaphore } from "../../../base/turns/semaphore.js";
import { makeFolders } from "../../../compiler/write/make-folders.js";
import type { Row, SqlFragment, SqlText } from "../../../store/database/database.js";
import { DuckDbError, type DuckDbFile, type DuckDbSession, fileName } from "../../sinks/duckdb-file.js";
import { appendRows } from "./append-rows.js";
import { storedTypes } from "./column-forms.js";
import { type DuckDb, loadDuckDb } from "./load-duckdb.js";

/** What a file may take; what DuckDB takes by default, if absent. */
export interface DuckDbFileLimits {
  /** Megabytes of memory. */
  readonly memory?: number;
  /** Called before each transaction. @throws if there is no room for more on the disk */
  requireRoom?(): Promise<void>;
}

/** A file that sinks of this process have open. Two instances of one file would overwrite each other. */
interface OpenFile {
  readonly instance: Promise<DuckDBInstance>;
  readonly turns: Semaphore;
  users: number;
}

const openFiles = new Map<string, OpenFile>();

/**
 * Opens a DuckDB database file, and makes it and its folder if they are not there. Nothing in it can reach another file.
 * @throws DuckDbError
 */
export async function openDuckDbFile(
  path: string,
  { memory, requireRoom }: DuckDbFileLimits = {},
): Promise<DuckDbFile> {
  const duckdb = await loadDuckDb("A DuckDB file");
  makeFolders(dirname(path));
  const place = await realPlace(path);
  const file = openFiles.get(place) ?? {
    instance: instanceOf(duckdb, place, memory),
    turns: new Semaphore(1),
    users: 0,
  };
  openFiles.set(place, file);
  file.users += 1;
  /** The next one that asks for the file opens it again. */
  const giveUp = (): void => {
    if (openFiles.get(place) === file) openFiles.delete(place);
  };
  const leave = async (): Promise<void> => {
    file.users -= 1;
    if (file.users > 0) return;
    giveUp();
    (await file.instance).closeSync();
  };
  const connection = await connect(file).catch((error: unknown) => {
    giveUp();
    throw error;
  });
  const session = sessionOf(duckdb, connection);
  return {
    query: (statement, parameters) => file.turns.run(() => session.query(statement, parameters)),
    fill: (table, columns, rows) => file.turns.run(() => session.fill(table, columns, rows)),
    transaction: (work) =>
      file.turns.run(async () => {
        await requireRoom?.();
        await session.run("begin transaction");
        try {
          const result = await work(session);
          await session.run("commit");
          return result;
        } catch (error) {
          // DuckDB does nothing more with a database after such an error.
          if (error instanceof DuckDbError && error.kind === "FATAL") giveUp();
          await connection.run("rollback").catch(() => undefined);
          throw error;
        }
      }),
    close: () =>
      file.turns.run(async () => {
        connection.closeSync();
        await leave();
      }),
  };
}

async function connect({ instance }: OpenFile): Promise<DuckDBConnection> {
  try {
    return await (await instance).connect();
  } catch (error) {
    throw duckDbError(error);
  }
}

/** The file has a name of ours, whatever it is called: DuckDB takes a file `main.duckdb` for the schema `main`. */
async function instanceOf(
  duckdb: DuckDb,
  place: string,
  memory: number | undefined,
): Promise<DuckDBInstance> {
  const instance = await duckdb.DuckDBInstance.create(":memory:", {
    ...(memory !== undefined && { memory_limit: `${memory}MB`, threads: "1" }),
    temp_directory: `${place}.tmp`,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  try {
    const connection = await instance.connect();
    for (const statement of [
      `attach ${literal(place)} as ${fileName}`,
      "set global timezone = 'UTC'",
      "set global enable_external_access = false",
      "set global lock_configuration = true",
    ])
      await connection.run(statement);
    connection.closeSync();
    return instance;
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/** One name for a file, however it is written. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return join(await realpath(dirname(path)), basename(path));
  }
}

function sessionOf(
  duckdb: DuckDb,
  connection: DuckDBConnection,
): DuckDbSession & { run(statement: string): Promise<void> } {
  const around = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw duckDbError(error);
    }
  };
  return {
    run: (statement) =>
      around(async () => {
        await connection.run(statement);
      }),
    query: (statement: SqlFragment, parameters: readonly SqlText[] = []) =>
      around(async () => {
        const read = await connection.runAndReadAll(statement, [...parameters]);
        return read.getRowObjects().map(asTexts);
      }),
    fill: (table, columns, rows) =>
      around(async () => {
        const types = columns.map(({ name, type }) => `${quoted(name)} ${storedTypes[type]}`);
        await connection.run(`create or replace temp table ${quoted(table)} (${types.join(", ")})`);
        await appendRows(duckdb, connection, { name: table, schema: "main", catalog: "temp" }, columns, rows);
      }),
  };
}

function asTexts(row: Readonly<Record<string, DuckDBValue>>): Row {
  const texts = Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]);
  return Object.fromEntries(texts) as Row;
}

/** DuckDB's errors begin with their kind. */
function duckDbError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DuckDbError || isUnexpected(error)) return error;
  const [, kind = "", text = error.message] = /^([A-Z][\w ]*) Error: (.*)/s.exec(error.message) ?? [];
  const [first = ""] = text.split("\n");
  const [, holder] =
    /Could not set lock on file.*?: (?:Conflicting lock is held in )?(.*?\(PID \d+\))/.exec(first) ?? [];
  if (/^Could not set lock on file/.test(first)) {
    const by = holder === undefined ? "" : `, ${holder}`;
    return new DuckDbError(`another process has it open${by}`, "Lock", error);
  }
  const isSure = /is not a valid DuckDB database file|Is a directory|read-only/i.test(first);
  return new DuckDbError(first.replace(/[.!]$/, ""), isSure ? "Invalid" : kind, error);
}
