import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { pid } from "node:process";
import { visible } from "../../../base/visible.js";
import { DatabaseError } from "../database.js";
import { lockFile } from "./file-lock.js";

/** The holder of a folder, as written to the lock file for those it refuses. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** The namespace of the process id; nothing where ids are unique on the whole machine. */
  readonly namespace: string | null;
}

/**
 * Locks a folder until the returned function is called or this process ends. The kernel holds the lock, so it also
 * excludes processes in other containers. The file's contents are only for messages.
 * @param folder for messages
 * @param file the lock; it is there as long as somebody holds it, and may be left behind
 * @throws DatabaseError when somebody else holds it; errors of the file system
 */
export function lockFolder(folder: string, file: string): () => void {
  const lock = hold(folder, file);
  ftruncateSync(lock);
  writeSync(lock, JSON.stringify(ourselves()), 0);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    // Keep this order: a process that has already opened the file then sees that it is no longer the file of that name.
    rmSync(file, { force: true });
    closeSync(lock);
  };
}

/** @returns the descriptor of the locked file */
function hold(folder: string, file: string): number {
  for (;;) {
    const lock = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    let isOurs = false;
    try {
      if (!locked(folder, lock)) throw inUse(folder, holderOf(file));
      isOurs = isNamed(file, lock);
      if (isOurs) return lock;
    } finally {
      if (!isOurs) closeSync(lock);
    }
  }
}

function locked(folder: string, lock: number): boolean {
  try {
    return lockFile(lock);
  } catch (cause) {
    if (cause instanceof DatabaseError) throw cause;
    throw new DatabaseError(
      `${visible(folder)} is on a file system that cannot lock files: ${String(cause)}`,
      {
        hint: "Choose a folder on a local disk, or use a database on a PostgreSQL server.",
        cause,
      },
    );
  }
}

/** Whether an open file is still the file of that name. Its earlier holder may have removed it in the meantime. */
function isNamed(file: string, lock: number): boolean {
  const named = statSync(file, { bigint: true, throwIfNoEntry: false });
  const open = fstatSync(lock, { bigint: true });
  return named?.ino === open.ino && named.dev === open.dev;
}

function ourselves(): Holder {
  return { pid, host: hostname(), namespace: namespaceOf() };
}

/** The namespace of process ids, because every container counts them from 1. */
function namespaceOf(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // Only Linux has such namespaces.
    return null;
  }
}

/** Returns nothing if the file cannot be read or is not written yet. */
function holderOf(file: string): (Holder & { readonly since: Date }) | undefined {
  try {
    const { pid, host, namespace } = JSON.parse(readFileSync(file, "utf8"));
    return { pid: Number(pid), host: String(host), namespace, since: statSync(file).mtime };
  } catch {
    return undefined;
  }
}

function inUse(folder: string, holder: ReturnType<typeof holderOf>): DatabaseError {
  const what = `the database in ${visible(folder)} is in use by`;
  const own = ourselves();
  if (holder?.host === own.host && holder.namespace === own.namespace) {
    return new DatabaseError(`${what} process ${holder.pid}`, {
      hint: "Stop that process, or choose another folder.",
    });
  }
  const who = holder
    ? `process ${holder.pid} on another machine or in another container (${visible(holder.host)}), since ${holder.since.toISOString()}`
    : "another process";
  return new DatabaseError(`${what} ${who}`, {
    hint: "Stop that process first: only one server can use a folder. Several servers can share a database on a PostgreSQL server.",
  });
}
