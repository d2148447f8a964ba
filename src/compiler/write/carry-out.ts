import { existsSync, renameSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Journal, Put } from "./journal.js";
import { makeFolders } from "./make-folders.js";
import { isManifest } from "./manifest-path.js";
import { RECORD_PATH } from "./record.js";
import { RECORD_FOLDER } from "./safe-path.js";

/**
 * Carries out a journal's change. Idempotent, so it also completes a partial one. Removes manifests first and puts
 * them in place last, so that no tool mistakes a partly changed target for a project.
 * @throws the file system's error, after part of the change
 */
export function forward(target: string, journal: Journal): void {
  const staged = stagedBy(target, journal);
  const [manifests, others] = parted(journal);
  for (const { slot, path } of journal.standing) setAside(join(target, path), staged("standing", slot));
  for (const { slot, path } of manifests) {
    if (existsSync(staged("new", slot))) setAside(join(target, path), staged("old", slot));
  }
  for (const { slot, path } of journal.removals) setAside(join(target, path), staged("gone", slot));
  for (const path of journal.folders) makeFolders(join(target, path));
  for (const put of [...others, ...manifests]) place(target, put, journal);
  for (const { slot, path } of journal.standing) putBack(staged("standing", slot), join(target, path));
  // The record comes last: until then, all earlier steps can be repeated.
  const record = join(target, RECORD_FOLDER, journal.staging, "record");
  if (existsSync(record)) renameSync(record, join(target, RECORD_PATH));
  for (const { path } of journal.removals) removeEmptyFolders(target, dirname(path));
}

/**
 * Undoes a partial `forward`, in the process that prepared the change. The record never needs undoing, because it is
 * put in place last.
 */
export function backward(target: string, journal: Journal): void {
  const staged = stagedBy(target, journal);
  const [manifests, others] = parted(journal);
  for (const { slot, path } of [...manifests, ...others]) {
    const fresh = staged("new", slot);
    if (!existsSync(fresh)) renameSync(join(target, path), fresh);
  }
  for (const { slot, path } of others) putBack(staged("old", slot), join(target, path));
  for (const { slot, path } of journal.removals) putBack(staged("gone", slot), join(target, path));
  for (const path of journal.folders.toReversed()) removeFolder(join(target, path));
  for (const { slot, path } of manifests) putBack(staged("old", slot), join(target, path));
  for (const { slot, path } of journal.standing) putBack(staged("standing", slot), join(target, path));
}

/** Removes a folder if it is empty; returns whether it no longer exists. */
export function removeFolder(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

type Role = "new" | "old" | "gone" | "standing";

function stagedBy(target: string, { staging }: Journal): (role: Role, slot: number) => string {
  return (role, slot) => join(target, RECORD_FOLDER, staging, `${role}-${slot}`);
}

function parted({ puts }: Journal): readonly [manifests: readonly Put[], others: readonly Put[]] {
  return [puts.filter(({ path }) => isManifest(path)), puts.filter(({ path }) => !isManifest(path))];
}

function place(target: string, { slot, path }: Put, journal: Journal): void {
  const staged = stagedBy(target, journal);
  const fresh = staged("new", slot);
  if (!existsSync(fresh)) return;
  setAside(join(target, path), staged("old", slot));
  makeFolders(dirname(join(target, path)));
  renameSync(fresh, join(target, path));
}

function setAside(path: string, aside: string): void {
  if (!existsSync(aside) && existsSync(path)) renameSync(path, aside);
}

function putBack(aside: string, path: string): void {
  if (existsSync(aside) && !existsSync(path)) renameSync(aside, path);
}

/** Removes a folder of the target and its parents, as long as they are empty. */
function removeEmptyFolders(target: string, folder: string): void {
  if (folder !== "." && removeFolder(join(target, folder))) removeEmptyFolders(target, dirname(folder));
}
