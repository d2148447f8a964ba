import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The locks this process holds: a lock with our own number that is not among them is left from a namesake. */
const held = new Set<string>();

/** How often an empty lock is looked at again before whoever created it counts as dead: a second in all. */
const PATIENCE = 20;

/** Reserves a folder for this process; gives the process that has it, should that still run. */
export async function lock(folder: string): Promise<{ release(): void } | { holder: number }> {
  const path = join(folder, "lock");
  for (let empty = 0; ; ) {
    if (create(path)) {
      held.add(path);
      return { release: () => release(path) };
    }
    const text = read(path);
    if (text === undefined) continue;
    const holder = Number(text);
    if (text === "" && empty < PATIENCE) {
      empty += 1;
      await sleep(50);
      continue;
    }
    if (text !== "" && alive(holder, path)) return { holder };
    remove(path, text);
  }
}

function create(path: string): boolean {
  try {
    const file = openSync(path, "wx");
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function alive(holder: number, path: string): boolean {
  // In a container every run may have the number 1.
  if (holder === process.pid) return held.has(path);
  try {
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Takes a dead lock away. By a rename, so that of two processes that found it dead only one succeeds. */
function remove(path: string, text: string): void {
  const aside = `${path}-${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  // The other one was faster and this is its own, living lock: it goes back.
  if (read(aside) !== text) renameSync(aside, path);
  else rmSync(aside, { force: true });
}

function release(path: string): void {
  held.delete(path);
  rmSync(path, { force: true });
}
