import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { kill, pid } from "node:process";
import { threadId } from "node:worker_threads";
import { visible } from "../../../base/visible.js";
import { DatabaseError } from "../database.js";

/** Folders that this process holds. */
const held = new Set<string>();

/**
 * Keeps others from a folder until the function given back is called or this process ends. The lock is a file that
 * names the process; one of a process that has ended does not count.
 * @param folder for messages, and to know the folder by in this process
 * @param file the lock
 * @throws DatabaseError when somebody else holds it
 */
export function lockFolder(folder: string, file: string): () => void {
  if (held.has(file)) throw inUse(folder, pid);
  const own = `${file}.${pid}.${threadId}`;
  writeFileSync(own, JSON.stringify({ pid, started: startOf(pid) }));
  try {
    while (!takes(own, file)) removeStale(folder, file, own);
  } finally {
    rmSync(own, { force: true });
  }
  held.add(file);
  return () => {
    if (held.delete(file)) rmSync(file, { force: true });
  };
}

/** A link is made whole or not at all, so that nobody ever reads half a lock. */
function takes(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw new DatabaseError(`${visible(file)} cannot be written: ${String(error)}`, { cause: error });
  }
}

/** @throws DatabaseError when the lock is that of a process that runs */
function removeStale(folder: string, file: string, own: string): void {
  const seen = read(file);
  if (seen === undefined) return;
  const holder = holderOf(seen);
  if (holder !== undefined) throw inUse(folder, holder);
  // Another process may have done the same in the meantime, and hold it by now: look at what was moved away.
  const aside = `${own}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  const moved = read(aside);
  if (moved !== undefined && moved !== seen) linkSync(aside, file);
  unlinkSync(aside);
}

/** The process that holds a lock, if it runs. */
function holderOf(lock: string): number | undefined {
  let found: { readonly pid?: unknown; readonly started?: unknown };
  try {
    found = JSON.parse(lock);
  } catch {
    return undefined;
  }
  if (typeof found.pid !== "number" || found.pid === pid || !runs(found.pid)) return undefined;
  // The number of a process that has ended is given to another one, some day.
  return found.started === startOf(found.pid) ? found.pid : undefined;
}

function runs(process: number): boolean {
  try {
    kill(process, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** When a process began, in whatever the system counts; nothing where that cannot be known. */
function startOf(process: number): string | null {
  const stat = read(`/proc/${process}/stat`);
  const boot = read("/proc/sys/kernel/random/boot_id");
  // The name of the program stands in brackets and may hold anything; the start is the twentieth field after it.
  const started = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return started === undefined ? null : `${boot?.trim()} ${started}`;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ESRCH") return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function inUse(folder: string, process: number): DatabaseError {
  return new DatabaseError(`the database in ${visible(folder)} is in use by process ${process}`, {
    hint: "End that process, or name another folder.",
  });
}
