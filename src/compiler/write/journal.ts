import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { inspectPath } from "./inspect-path.js";
import { makeFolders } from "./make-folders.js";
import { RECORD_PATH } from "./record.js";
import { RECORD_FOLDER, unsafePath } from "./safe-path.js";

/** A change of a target that is fully prepared: what to do with the staged files. */
export interface Journal {
  /** The folder of the staged files, inside `.graphloom`. */
  readonly staging: string;
  /** New folders, outer before inner. */
  readonly folders: readonly string[];
  /** Paths to put a file at; the file is staged under its index as `new-0`, `new-1`, … */
  readonly puts: readonly string[];
  /** Paths to take away. */
  readonly removals: readonly string[];
}

const FILE = "journal.json";

/**
 * Carries out a prepared change. From the moment the journal is in place the change counts as made: a run that dies
 * is completed by the next. Synchronous, so that no signal handler can come in between.
 * @throws the error of the file system that made it impossible, after everything has been taken back
 */
export function commit(target: string, journal: Journal): void {
  const folder = join(target, RECORD_FOLDER);
  const draft = join(folder, "journal.draft");
  const file = openSync(draft, "w");
  writeSync(file, JSON.stringify(journal));
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, join(folder, FILE));
  complete(target, journal);
}

/** Brings a target back to order after a run that died: its change is completed if it was prepared, else dropped. */
export function recoverJournal(target: string): void {
  const folder = join(target, RECORD_FOLDER);
  const journal = readJournal(target, join(folder, FILE));
  if (journal) complete(target, journal);
  else rmSync(join(folder, FILE), { force: true });
  sweep(folder);
}

/** The journal, should there be one of ours: a forged one that comes with a folder must not lead out of it. */
function readJournal(target: string, file: string): Journal | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const { staging, folders, puts, removals } = JSON.parse(readFileSync(file, "utf8")) as Journal;
    const paths = [...folders, ...puts, ...removals];
    const sound =
      /^staging-\w+$/.test(staging) &&
      inspectPath(target, `${RECORD_FOLDER}/${staging}/record`).kind !== "link" &&
      paths.every((path) => unsafePath(path) === undefined && inspectPath(target, path).kind !== "link");
    return sound ? { staging, folders, puts, removals } : undefined;
  } catch {
    return undefined;
  }
}

/** Removes everything but the record and the lock, unless a change is still to be completed: it needs its files. */
export function sweep(folder: string): void {
  if (existsSync(join(folder, FILE))) return;
  for (const name of readdirSync(folder)) {
    if (name !== "files.json" && name !== "lock")
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function complete(target: string, journal: Journal): void {
  try {
    forward(target, journal);
  } catch (error) {
    backward(target, journal);
    rmSync(join(target, RECORD_FOLDER, FILE), { force: true });
    throw error;
  }
  for (const path of journal.removals) removeEmptyFolders(target, dirname(path));
  rmSync(join(target, RECORD_FOLDER, FILE), { force: true });
}

/** Every step first makes sure that it has not been done yet: half of them may have been, in a run that died. */
function forward(target: string, journal: Journal): void {
  const staging = join(target, RECORD_FOLDER, journal.staging);
  for (const path of journal.folders) makeFolders(join(target, path));
  for (const [index, path] of journal.puts.entries()) {
    const fresh = join(staging, `new-${index}`);
    if (!existsSync(fresh)) continue;
    setAside(join(target, path), join(staging, `old-${index}`));
    renameSync(fresh, join(target, path));
  }
  for (const [index, path] of journal.removals.entries()) {
    setAside(join(target, path), join(staging, `gone-${index}`));
  }
  const record = join(staging, "record");
  if (existsSync(record)) renameSync(record, join(target, RECORD_PATH));
}

/** Undoes as much of `forward` as was done. The record came last, so it never needs to be undone. */
function backward(target: string, journal: Journal): void {
  const staging = join(target, RECORD_FOLDER, journal.staging);
  for (const [index, path] of journal.removals.entries()) {
    const gone = join(staging, `gone-${index}`);
    if (existsSync(gone)) renameSync(gone, join(target, path));
  }
  for (const [index, path] of journal.puts.entries()) {
    const fresh = join(staging, `new-${index}`);
    const old = join(staging, `old-${index}`);
    if (!existsSync(fresh)) renameSync(join(target, path), fresh);
    if (existsSync(old)) renameSync(old, join(target, path));
  }
  for (const path of journal.folders.toReversed()) removeFolder(join(target, path));
}

function setAside(path: string, aside: string): void {
  if (!existsSync(aside) && existsSync(path)) renameSync(path, aside);
}

/** Removes a folder of the target and those around it, as far as they are empty. */
function removeEmptyFolders(target: string, folder: string): void {
  if (folder !== "." && removeFolder(join(target, folder))) removeEmptyFolders(target, dirname(folder));
}

/** Removes a folder if it is empty, and tells whether it is gone; a folder that holds something stays. */
export function removeFolder(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
