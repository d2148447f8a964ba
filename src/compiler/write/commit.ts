import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { backward, forward } from "./carry-out.js";
import { believable, JOURNAL, type Journal, readJournal, stagingName } from "./journal.js";
import { RECORD_FOLDER } from "./safe-path.js";

const DRAFT = "journal.draft";

/**
 * Commits a prepared change. It is committed once the journal is in place: if the process dies after that, the next
 * run completes it. Synchronous, so that no signal handler runs in between.
 * @throws the file system's error, after a rollback
 */
export function commit(target: string, journal: Journal): void {
  const folder = join(target, RECORD_FOLDER);
  const draft = join(folder, DRAFT);
  const file = openSync(draft, "w");
  writeSync(file, JSON.stringify(journal));
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, join(folder, JOURNAL));
  try {
    forward(target, journal);
  } catch (error) {
    backward(target, journal);
    removeJournal(target);
    throw error;
  }
  removeJournal(target);
}

/**
 * Recovers a target after a run that died: completes its change if committed, otherwise drops it.
 * @throws the file system's error; the next run retries
 */
export function recoverJournal(target: string): void {
  const journal = readJournal(target);
  if (journal) forward(target, believable(target, journal));
  removeJournal(target);
  sweep(join(target, RECORD_FOLDER));
}

/** Removes the leftovers of dead runs, unless a committed change still needs its staged files. Keeps other files. */
export function sweep(folder: string): void {
  const names = readdirSync(folder);
  if (names.includes(JOURNAL)) return;
  for (const name of names) {
    if (isLeft(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Whether a name belongs to a run's temporary file, except this run's own lock. */
function isLeft(name: string): boolean {
  return name === DRAFT || stagingName.test(name) || /^lock-\d+$/.test(name);
}

function removeJournal(target: string): void {
  rmSync(join(target, RECORD_FOLDER, JOURNAL), { force: true });
}
