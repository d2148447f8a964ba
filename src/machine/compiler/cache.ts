import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, futimesSync, openSync, readFileSync, statSync } from "node:fs";
import { appendFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { platform } from "node:process";
import type { CacheStore } from "../../compiler/cache/cache-store.js";
import { decodeEntry, encodeEntry } from "../../compiler/cache/entry-format.js";
import { makeFolders } from "../../compiler/write/make-folders.js";
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

export interface NodeCacheOptions {
  /** Absolute path; created by the first `put`, with mode 0700. */
  readonly folder: string;
  /** Size limit of all entries in bytes; 256 MB by default. */
  readonly limit?: number | undefined;
  /** Called once with a sentence that says why the cache cannot be used, because failures are otherwise silent. */
  readonly onTrouble?: ((message: string) => void) | undefined;
}

/** A compilation cache in a folder that several processes may share. */
export interface NodeCache extends CacheStore {
  /** Measures the entries of all versions of graphloom. */
  measure(): Promise<CacheContent>;
  /**
   * Removes all entries and returns their number and size. Rejects with the system's error when something
   * cannot be removed.
   */
  clear(): Promise<CacheContent>;
}

/** 256 MB: room for some hundreds of subgraphs. */
export const defaultCacheLimit = 256 * 1024 * 1024;

/** Precision of an entry's last use, in milliseconds; a finer one would cost more writes. */
const useNoted = 3_600_000;

const forOwner = 0o700;

/** A cache directory tag, which makes backup tools skip the folder: https://bford.info/cachedir/ */
const tag = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of graphloom.\n";

/** A cache on disk. Entries are verified on read; corrupt ones are removed. */
export function createNodeCache(options: NodeCacheOptions): NodeCache {
  const { folder, limit = defaultCacheLimit, onTrouble } = options;
  let isTold = false;

  /** If the disk is full, read-only or missing, there is no cache. */
  async function attempt<T>(task: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await task();
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
      // Errors from Node itself are bugs in graphloom.
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
        const name = entryName(key);
        const path = entryPath(folder, name);
        const file = readEntry(path);
        const payload = file && decodeEntry(name, file);
        if (file && !payload && isRealFolder(dirname(path))) await rm(path, { force: true });
        return payload;
      }),
    async put(key, bytes) {
      await attempt(async () => {
        const name = entryName(key);
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

/** The code's identity is part of the name, so that entries from other code are misses. */
function entryName(key: string): string {
  return createHash("sha256").update(`${codeIdentity()} ${key}`).digest("hex");
}

const writableByAll = "writable by everyone";

/** Refuses a folder where others could put entries; a missing one will be created private. */
function assertPrivate(folder: string): void {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  if (platform === "win32" || (mode & 0o002) === 0) return;
  throw Object.assign(new Error(`everyone can write to ${folder}`), { code: writableByAll });
}

/** The bytes of a file that is not a symbolic link. Synchronous, because that is four times as fast. */
function readEntry(path: string): Uint8Array | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    // A symbolic link is a corrupt entry.
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
    // A read-only cache cannot remove a corrupt entry.
  }
}

async function makeFolder(folder: string): Promise<void> {
  if (statSync(folder, { throwIfNoEntry: false })) return;
  makeFolders(folder, forOwner);
  await writeFile(join(folder, "CACHEDIR.TAG"), tag);
}

/** Writes a draft and renames it, so that readers see either the whole file or none. */
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

/**
 * Adds to the tally. It may count an entry twice, but is never far too low. Over the limit, the entries are measured.
 */
async function count(bytes: number, folder: string, limit: number): Promise<void> {
  const tally = join(folder, tallyName);
  const blocks = blocksOf(bytes);
  await appendFile(tally, Buffer.alloc(blocks), { mode: 0o600 });
  const { size } = await stat(tally);
  // A lost tally restarts with this entry, which also triggers a measurement.
  if (size * blockSize > limit || size === blocks) await trimEntries(folder, limit);
}
