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

/** Who holds a folder, as it stands in the lock for whoever is refused. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** What the number of the process counts in; nothing where it is the same for the whole machine. */
  readonly namespace: string | null;
}

/**
 * Keeps others from a folder until the function given back is called or this process ends, also those in other
 * containers: the kernel holds the lock. What the file says is for messages only.
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
    // In this order: whoever has opened it by now sees that it is not the file of that name any more.
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

/** Whether an open file is still the one of that name: who held it before may have removed it in the meantime. */
function isNamed(file: string, lock: number): boolean {
  const named = statSync(file, { bigint: true, throwIfNoEntry: false });
  const open = fstatSync(lock, { bigint: true });
  return named?.ino === open.ino && named.dev === open.dev;
}

function ourselves(): Holder {
  return { pid, host: hostname(), namespace: namespaceOf() };
}

/** Of the numbers of processes, which are counted anew in each container. */
function namespaceOf(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // There are none but on Linux.
    return null;
  }
}

/** Nothing when it cannot be read, or was not written yet. */
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
