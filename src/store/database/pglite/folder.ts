import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskTrouble } from "../../../base/disk-trouble.js";
import { messageOf } from "../../../base/text/message-of.js";
import { visible } from "../../../base/text/visible.js";
import { DatabaseError } from "../database.js";
import { hints } from "../hints.js";
import { lockFolder } from "./lock-folder.js";
import { makePrivate } from "./private-files.js";

/** A folder with a database that is locked against other processes. */
export interface Folder {
  /** Where PGlite keeps its files. */
  readonly data: string;
  /** Whether it contains no database yet. */
  readonly isNew: boolean;
  /** Free bytes on its disk; `undefined` if the system does not say. */
  freeBytes(): number | undefined;
  /** Explains a failure to open it, with advice if the disk is full. */
  explain(error: DatabaseError): DatabaseError;
  /** To be called once the database has been opened: from then on there is something to lose. */
  complete(): void;
  /** Releases the lock. */
  release(): void;
}

/** The file that identifies our folders. */
const markName = "graphloom-database.json";
const lockName = "lock";
const dataName = "postgres";
/** SQLSTATE: the disk is full. */
const fullCode = "53100";
/** Bytes that opening needs: a segment of PostgreSQL's log, and a little more. */
const leastRoom = 20 << 20;
/** Of the PostgreSQL inside PGlite. */
const version = "18";

/** Whether there is a database in a folder. @throws DatabaseError if the folder cannot be read */
export function holdsDatabase(path: string): boolean {
  return readMark(path)?.state === "complete";
}

/**
 * Locks a folder for a database, and creates it if it does not exist.
 * @throws DatabaseError if it is in use, has another version, or contains something else
 */
export function openFolder(path: string): Folder {
  make(path);
  const mark = readMark(path);
  if (mark === undefined && readdirSync(path).some((name) => name !== lockName)) {
    throw new DatabaseError(`${visible(path)} is not a graphloom database folder`, {
      hint: "Choose a folder that is empty or does not exist yet.",
    });
  }
  const unlock = withDatabaseErrors(path, () => lockFolder(path, join(path, lockName)));
  const data = join(path, dataName);
  const write = (state: Mark["state"]): void =>
    withDatabaseErrors(path, () =>
      writeFileSync(join(path, markName), `${JSON.stringify({ postgres: version, state })}\n`, {
        mode: 0o600,
      }),
    );
  try {
    if (mark && mark.postgres !== version) throw otherVersion(path, mark.postgres);
    if (mark?.state !== "complete") {
      // The folder was never whole: the process that was making it was killed.
      rmSync(data, { recursive: true, force: true });
      write("being made");
      withDatabaseErrors(path, () => mkdirSync(data, { mode: 0o700 }));
    } else if (versionOf(data) !== version) throw otherVersion(path, versionOf(data));
    makePrivate(path);
  } catch (error) {
    unlock();
    throw error;
  }
  return {
    data,
    isNew: mark?.state !== "complete",
    freeBytes: () => {
      try {
        return roomIn(path);
      } catch {
        // If the folder is gone, the database itself reports the error to the server's health check.
        return undefined;
      }
    },
    explain: (error) => {
      const isFull = error.code === fullCode || roomIn(path) < leastRoom;
      const what = `the database in ${visible(path)} cannot be opened: ${explainMessage(error.message)}`;
      if (isFull)
        return new DatabaseError(what, { code: fullCode, hint: hints.get(fullCode) ?? "", cause: error });
      const hint = hintFor(error.message, mark?.state === "complete");
      return new DatabaseError(what, { ...(hint !== undefined && { hint }), cause: error });
    },
    complete: () => {
      if (mark?.state !== "complete") write("complete");
    },
    release: unlock,
  };
}

/** Advice for files that PostgreSQL does not understand. */
const restoring =
  "Its files may be damaged. Restore a backup of the folder, or choose another folder and index again.";
const moreMemory =
  "Give the process more memory, or raise the limit set by its shell or container (ulimit -v).";
const noMemory = /allocate memory|out of memory/i;

/** @param wasWhole whether there was something to be damaged */
function hintFor(message: string, wasWhole: boolean): string | undefined {
  if (noMemory.test(message)) return moreMemory;
  return wasWhole ? restoring : undefined;
}

/** WebAssembly's own message when its program gives up is of no use. */
function explainMessage(message: string): string {
  return /^(?:Aborted\(|PGlite failed to initialize)/.test(message)
    ? "PostgreSQL failed while reading its files"
    : message;
}

interface Mark {
  readonly postgres: string;
  readonly state: "being made" | "complete";
}

function make(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DatabaseError(`cannot create the folder ${visible(path)}: ${reasonIn(error)}`, {
      hint: hintIn(error) ?? "Choose a folder that you can write to.",
      cause: error,
    });
  }
}

/** Does something with files. @throws DatabaseError with advice instead of the system's errors */
function withDatabaseErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    const hint = hintIn(error);
    throw new DatabaseError(`${visible(path)} cannot be written to: ${reasonIn(error)}`, {
      ...(hint !== undefined && { hint }),
      cause: error,
    });
  }
}

function reasonIn(error: unknown): string {
  return diskTrouble(error)?.reason ?? messageOf(error);
}

function hintIn(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? hints.get(String(error.code)) : undefined;
}

function roomIn(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

function readMark(path: string): Mark | undefined {
  const text = readIfExists(join(path, markName));
  if (text === undefined) return undefined;
  try {
    const { postgres, state } = JSON.parse(text);
    return { postgres: String(postgres), state: state === "complete" ? state : "being made" };
  } catch {
    // A process was killed while writing it, before anything else was in the folder.
    return { postgres: version, state: "being made" };
  }
}

function versionOf(data: string): string | undefined {
  return readIfExists(join(data, "PG_VERSION"))?.trim();
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new DatabaseError(`${visible(path)} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function otherVersion(path: string, found: string | undefined): DatabaseError {
  if (found === undefined) {
    const what = `${visible(path)} holds an incomplete database: ${dataName}/PG_VERSION is missing`;
    return new DatabaseError(what, { hint: restoring });
  }
  const what = `a PostgreSQL ${visible(found)} database, but this graphloom uses PostgreSQL ${version}`;
  return new DatabaseError(`${visible(path)} holds ${what}`, {
    hint: "Choose another folder and index again, or use the graphloom version that created this one.",
  });
}
