import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Holder, isAlive, ownHolder, parseHolder } from "./holder.js";

/** The locks that this process holds. Any other lock with our pid belonged to a dead process with the same pid. */
const held = new Set<string>();

/** How often to reread an empty lock before its owner counts as dead: one second in total. */
const PATIENCE = 20;

/** The result of locking a folder. */
export type Reservation =
  | { readonly kind: "reserved"; release(): void }
  | {
      readonly kind: "taken";
      readonly holder: Holder;
      readonly path: string;
    };

/** Locks a folder for this process, unless the owner of an existing lock may be alive. */
export async function lock(folder: string): Promise<Reservation> {
  const path = join(folder, "lock");
  for (let empty = 0; ; ) {
    if (create(path)) {
      held.add(path);
      return { kind: "reserved", release: () => release(path) };
    }
    const found = read(path);
    if (!found) continue;
    if (found.text === "" && empty < PATIENCE) {
      empty += 1;
      await sleep(50);
      continue;
    }
    const holder = parseHolder(found.text, found.written);
    if (holder && holds(holder, path)) return { kind: "taken", holder, path };
    remove(path, found.text);
  }
}

function create(path: string): boolean {
  try {
    const file = openSync(path, "wx");
    writeSync(file, JSON.stringify(ownHolder()));
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function read(path: string): { readonly text: string; readonly written: number } | undefined {
  try {
    return { text: readFileSync(path, "utf8"), written: statSync(path).mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function holds(holder: Holder, path: string): boolean {
  if (!isAlive(holder)) return false;
  // In containers, every run may have pid 1.
  const { pid, host, started } = ownHolder();
  const isNamesake =
    holder.pid === pid && (holder.host ?? host) === host && (holder.started ?? started) === started;
  return !isNamesake || held.has(path);
}

/** Removes a stale lock. Uses `rename`, so that only one of two processes that found it stale succeeds. */
function remove(path: string, text: string): void {
  const aside = `${path}-${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  // Another process was faster, and this is its live lock: put it back.
  if (read(aside)?.text !== text) renameSync(aside, path);
  else rmSync(aside, { recursive: true, force: true });
}

function release(path: string): void {
  held.delete(path);
  rmSync(path, { force: true });
}
