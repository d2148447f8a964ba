import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { backward, forward } from "./carry-out.js";
import { believable, JOURNAL, type Journal, readJournal, stagingName } from "./journal.js";
import { RECORD_FOLDER } from "./safe-path.js";

const DRAFT = "journal.draft";

/**
 * Carries out a prepared change. From the moment the journal is in place the change counts as made: a run that dies
 * is completed by the next. Synchronous, so that no signal handler can come in between.
 * @throws the error of the file system that made it impossible, after everything has been taken back
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
 * Brings a target back to order after a run that died: its change is completed if it was prepared, else dropped.
 * @throws the error of the file system that made it impossible; the next run tries again
 */
export function recoverJournal(target: string): void {
  const journal = readJournal(target);
  if (journal) forward(target, believable(target, journal));
  removeJournal(target);
  sweep(join(target, RECORD_FOLDER));
}

/** Removes what runs have left, unless a change is still to be completed: it needs its files. What is not ours stays. */
export function sweep(folder: string): void {
  const names = readdirSync(folder);
  if (names.includes(JOURNAL)) return;
  for (const name of names) {
    if (isLeft(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Whether it is the name of something that a run makes and removes again; its own lock aside. */
function isLeft(name: string): boolean {
  return name === DRAFT || stagingName.test(name) || /^lock-\d+$/.test(name);
}

function removeJournal(target: string): void {
  rmSync(join(target, RECORD_FOLDER, JOURNAL), { force: true });
}
