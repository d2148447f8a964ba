import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, futimesSync, openSync, readFileSync, statSync } from "node:fs";
import { appendFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { platform } from "node:process";
import type { CacheStore } from "../compiler/cache/cache-store.js";
import { decodeEntry, encodeEntry } from "../compiler/cache/entry-format.js";
import { makeFolders } from "../compiler/write/make-folders.js";
import {
  blockSize,
  blocksOf,
  type CacheContent,
  draftPath,
  entryPath,
  isRealFolder,
  measureEntries,
  removeEntries,
  tallyName,
  trimEntries,
} from "./cache-entries.js";
import { codeIdentity } from "./identity.js";

/** What a cache on the disk is made with. */
export interface NodeCacheOptions {
  /** Absolute; made when the first entry is put, for its owner alone. */
  readonly folder: string;
  /** Most bytes that all entries may take; 256 MB unless said otherwise. */
  readonly limit?: number | undefined;
  /** Told once, in a sentence, why the cache is of no use, which otherwise nobody notices. */
  readonly onTrouble?: ((message: string) => void) | undefined;
}

/** A cache in a folder, which any number of processes may use at the same time. */
export interface NodeCache extends CacheStore {
  /** Counts what is kept, by whatever version of graphloom. */
  measure(): Promise<CacheContent>;
  /** Removes all that is kept; what was there. Rejected with the system's error when something cannot be removed. */
  clear(): Promise<CacheContent>;
}

/** Room for some hundreds of subgraphs. */
export const defaultCacheLimit = 256 * 1024 * 1024;

/** How exactly it is known when an entry was last used, in milliseconds; noting it more often would cost more. */
const useNoted = 3_600_000;

/** Mode of a folder that nobody else may look into. */
const forOwner = 0o700;

/** Tells tools that make backups that all of this can be made again: https://bford.info/cachedir/ */
const tag = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of graphloom.\n";

/** A cache on the disk. Entries are checked when they are read; one that is not what was put is removed. */
export function createNodeCache(options: NodeCacheOptions): NodeCache {
  const { folder, limit = defaultCacheLimit, onTrouble } = options;
  let isTold = false;

  /** The disk may be full, read-only, or not there at all: then there simply is no cache. */
  async function attempt<T>(task: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await task();
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
      // What Node itself finds wrong is a bug of ours.
      if (code === undefined || code.startsWith("ERR_")) throw error;
      if (!isTold) onTrouble?.(`the cache in ${folder} cannot be used (${code})`);
      isTold = true;
      return undefined;
    }
  }

  return {
    get: (key) =>
      attempt(async () => {
        assertPrivate(folder);
        const name = nameOf(key);
        const path = entryPath(folder, name);
        const file = readEntry(path);
        const payload = file && decodeEntry(name, file);
        if (file && !payload && isRealFolder(dirname(path))) await rm(path, { force: true });
        return payload;
      }),
    async put(key, bytes) {
      await attempt(async () => {
        const name = nameOf(key);
        const file = encodeEntry(name, bytes);
        if (file.length > limit) return;
        await makeFolder(folder);
        assertPrivate(folder);
        const path = entryPath(folder, name);
        makeFolders(dirname(path), forOwner);
        if (!isRealFolder(dirname(path))) return;
        await place(file, path, folder);
        await count(file.length, folder, limit);
      });
    },
    measure: () => measureEntries(folder),
    clear: () => removeEntries(folder),
  };
}

/** What other code has put is not found, because its identity is part of the name. */
function nameOf(key: string): string {
  return createHash("sha256").update(`${codeIdentity()} ${key}`).digest("hex");
}

const writableByAll = "writable by everybody";

/** Nobody else may be able to put entries there; a folder that does not exist yet will be private. */
function assertPrivate(folder: string): void {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  if (platform === "win32" || (mode & 0o002) === 0) return;
  throw Object.assign(new Error(`everybody can write to ${folder}`), { code: writableByAll });
}

/** The bytes of a file that is no link; in one go, because that takes a quarter of the time. */
function readEntry(path: string): Uint8Array | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    // A link is not what was put.
    if (code === "ELOOP" || code === "EMLINK") return new Uint8Array();
    throw error;
  }
  try {
    const { mtimeMs } = fstatSync(file);
    const bytes = readFileSync(file);
    if (Date.now() - mtimeMs > useNoted) noteUse(file);
    return bytes;
  } finally {
    closeSync(file);
  }
}

function noteUse(file: number): void {
  try {
    futimesSync(file, new Date(), new Date());
  } catch {
    // In a cache that can only be read, nothing is ever removed either.
  }
}

async function makeFolder(folder: string): Promise<void> {
  if (statSync(folder, { throwIfNoEntry: false })) return;
  makeFolders(folder, forOwner);
  await writeFile(join(folder, "CACHEDIR.TAG"), tag);
}

/** Whoever reads sees all of a file or none of it. */
async function place(file: Uint8Array, path: string, folder: string): Promise<void> {
  const draft = draftPath(folder);
  try {
    await writeFile(draft, file, { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Adds to the tally. It may count an entry twice, never too few by much; over the limit, all is counted anew. */
async function count(bytes: number, folder: string, limit: number): Promise<void> {
  const tally = join(folder, tallyName);
  const blocks = blocksOf(bytes);
  await appendFile(tally, Buffer.alloc(blocks), { mode: 0o600 });
  const { size } = await stat(tally);
  // One that was lost begins anew with what has just been put.
  if (size * blockSize > limit || size === blocks) await trimEntries(folder, limit);
}
