import { randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { lstat, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Number and total size of the entries. */
export interface CacheContent {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * The tally: a file with one byte per stored block, so that `put` does not have to measure all entries every time.
 */
export const tallyName = "tally";
/** Disk block size in bytes; entries are counted in blocks. */
export const blockSize = 4096;

const drawerName = /^[0-9a-f]{2}$/;
const entryName = /^[0-9a-f]{62}$/;
const draftName = /^draft-[0-9a-f]{16}$/;

/** Age in milliseconds at which a draft counts as abandoned: its writer will not finish it. */
const abandonedAfter = 3_600_000;
/** Share of the limit that remains after trimming, so that trimming is rare. */
const shareKept = 0.8;

/** Path of a temporary file. It is renamed once complete. */
export function draftPath(folder: string): string {
  return join(folder, `draft-${randomBytes(8).toString("hex")}`);
}

/** Path of an entry: entries lie in folders named by their first two digits. */
export function entryPath(folder: string, name: string): string {
  return join(folder, name.slice(0, 2), name.slice(2));
}

/** Whether a path is a folder and not a symbolic link to one: the cache must not remove the target of a link. */
export function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The disk space of a file, in blocks. */
export function blocksOf(bytes: number): number {
  return Math.ceil(bytes / blockSize);
}

export async function measureEntries(folder: string): Promise<CacheContent> {
  return contentOf(await listEntries(folder));
}

/** Removes all entries and abandoned drafts. Other files and the folder itself stay. */
export async function removeEntries(folder: string): Promise<CacheContent> {
  const entries = await listEntries(folder);
  for (const { path } of entries) await rm(path, { force: true });
  await removeDrafts(folder, 0);
  await rm(join(folder, tallyName), { force: true });
  for (const drawer of await drawersIn(folder)) {
    // Not empty: it contains a foreign file, or another process has just stored an entry.
    await rmdir(drawer).catch(() => undefined);
  }
  return contentOf(entries);
}

/**
 * Evicts the least recently used entries until the rest is well below the limit, and rewrites the tally.
 * @param limit in bytes
 */
export async function trimEntries(folder: string, limit: number): Promise<void> {
  const byUse = (await listEntries(folder)).sort((a, b) => a.used - b.used);
  let blocks = byUse.reduce((sum, { bytes }) => sum + blocksOf(bytes), 0);
  if (blocks * blockSize > limit) {
    for (const { path, bytes } of byUse) {
      if (blocks * blockSize <= limit * shareKept) break;
      await rm(path, { force: true });
      blocks -= blocksOf(bytes);
    }
  }
  await removeDrafts(folder, abandonedAfter);
  const draft = draftPath(folder);
  await writeFile(draft, Buffer.alloc(blocks), { mode: 0o600, flag: "wx" });
  await rename(draft, join(folder, tallyName));
}

interface Entry {
  readonly path: string;
  readonly bytes: number;
  /** Time of the last use, in milliseconds since the Unix epoch. */
  readonly used: number;
}

function contentOf(entries: readonly Entry[]): CacheContent {
  return { entries: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
}

async function listEntries(folder: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const drawer of await drawersIn(folder)) {
    for (const name of await namesIn(drawer)) {
      if (!entryName.test(name)) continue;
      const path = join(drawer, name);
      const stats = await lstat(path).catch(goneMeanwhile);
      if (stats?.isFile()) entries.push({ path, bytes: stats.size, used: stats.mtimeMs });
    }
  }
  return entries;
}

async function drawersIn(folder: string): Promise<readonly string[]> {
  const names = (await namesIn(folder)).filter((name) => drawerName.test(name));
  return names.map((name) => join(folder, name)).filter(isRealFolder);
}

async function removeDrafts(folder: string, age: number): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (!draftName.test(name)) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(goneMeanwhile);
    if (stats?.isFile() && Date.now() - stats.mtimeMs >= age) await rm(path, { force: true });
  }
}

/** The names in a folder; empty if it does not exist. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(goneMeanwhile)) ?? [];
}

function goneMeanwhile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
