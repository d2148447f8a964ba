import { constants, type Dirent, type Stats } from "node:fs";
import { type FileHandle, open, readdir, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { FileRead, Host } from "../../compiler/host.js";
import { isWithin } from "./is-within.js";

/** The most folder entries to examine: the folder may be a whole home directory. */
const mostEntries = 5_000;

export interface NodeHostOptions {
  /** The directory that relative paths start from. */
  readonly cwd: string;
  /** The stream that `-` reads; absent without standard input. */
  readonly stdin?: AsyncIterable<Uint8Array | string> | undefined;
  /** The folder that every file must be in, after links are followed; absent if files may be anywhere. */
  readonly within?: string | undefined;
}

/** Packages that the build makes a part of graphloom. */
const shipped = fileURLToPath(new URL("../../packages/", import.meta.url));
const templates = fileURLToPath(new URL("../../../templates/", import.meta.url));

/** The real host: the file system and the packages installed beside graphloom. */
export function createNodeHost({ cwd, stdin, within }: NodeHostOptions): Host {
  const isAllowed = (path: string): boolean => within === undefined || isWithin(within, path);
  const packages = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const texts = new Map<string, Promise<string>>();
  return {
    async readFile(path, limit) {
      if (path === "-") return stdin ? readStream(stdin, limit) : { kind: "missing" };
      const whole = resolve(cwd, path);
      return isAllowed(whole) ? readRegularFile(whole, limit) : { kind: "outside" };
    },
    async filesUnder(folder, depth) {
      const whole = resolve(cwd, folder);
      return isAllowed(whole) ? filesUnder(whole, depth) : [];
    },
    resolveBeside(file, relative) {
      if (isAbsolute(relative)) return relative;
      const path = join(file === "-" ? "." : dirname(file), relative);
      // A file actually named "-" must not be mistaken for standard input.
      return path === "-" ? `.${sep}-` : path;
    },
    packageSources(name) {
      const known = packages.get(name) ?? readPackage(name);
      packages.set(name, known);
      return known;
    },
    readTemplate(name) {
      const known = texts.get(name) ?? readFile(join(templates, name), "utf8");
      texts.set(name, known);
      return known;
    },
  };
}

async function readRegularFile(path: string, limit: number): Promise<FileRead> {
  try {
    const seen = refusal(await stat(path), limit);
    if (seen) return seen;
    // Non-blocking, in case the file became a pipe since `stat`.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return refusal(await file.stat(), limit) ?? (await readAtMost(file, limit));
    } finally {
      await file.close();
    }
  } catch (error) {
    return failure(error);
  }
}

function refusal(stats: Stats, limit: number): FileRead | undefined {
  if (stats.isDirectory()) return { kind: "directory" };
  if (!stats.isFile()) return { kind: "device" };
  return stats.size > limit ? { kind: "too-large", size: stats.size } : undefined;
}

/** Files of unknown size, such as those of /proc, are read up to the limit. */
async function readAtMost(file: FileHandle, limit: number): Promise<FileRead> {
  const { size } = await file.stat();
  return readStream(chunksOf(file, Math.min(size + 1, 1 << 20)), limit);
}

async function* chunksOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { buffer, bytesRead } = await file.read(new Uint8Array(Math.max(size, 4096)));
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function readStream(stream: AsyncIterable<Uint8Array | string>, limit: number): Promise<FileRead> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
      size += bytes.length;
      if (size > limit) return { kind: "too-large", size };
      chunks.push(bytes);
    }
  } catch (error) {
    return failure(error);
  }
  return { kind: "bytes", bytes: Buffer.concat(chunks) };
}

function failure(error: unknown): FileRead {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === undefined) throw error;
  if (code === "EISDIR") return { kind: "directory" };
  if (code === "ELOOP") return { kind: "endless-link" };
  if (code === "ENXIO" || code === "ENODEV") return { kind: "device" };
  // An impossible name, such as one with a NUL or of 10,000 letters, counts as a missing file.
  const isMissing =
    code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG" || code === "ERR_INVALID_ARG_VALUE";
  return { kind: isMissing ? "missing" : "unreadable" };
}

async function readPackage(name: string): Promise<ReadonlyMap<string, string>> {
  const root = await packageRoot(name);
  const paths = (await sourcePaths(root, "")).sort();
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), "utf8")));
  return new Map(paths.map((path, index) => [path, texts[index] as string]));
}

/** Searches folder by folder, because a package does not have to export its `package.json`. */
async function packageRoot(name: string): Promise<string> {
  for (const folder of [shipped, ...(createRequire(import.meta.url).resolve.paths(name) ?? [])]) {
    const root = join(folder, name);
    const found = await stat(join(root, "package.json")).catch(() => undefined);
    if (found?.isFile()) return root;
  }
  throw new Error(`the package ${name} is not installed`);
}

const skipped = new Set(["node_modules", "test", "tests", "__tests__"]);

async function sourcePaths(root: string, folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !skipped.has(entry.name)) found.push(...(await sourcePaths(root, path)));
    else if (entry.isFile() && entry.name.endsWith(".ts")) found.push(path);
  }
  return found;
}

/**
 * Lists the regular files in a folder and its subfolders; beyond the limit, deep files are left out first.
 * @param depth levels of folders to examine; 1 means only the folder
 * @returns sorted paths relative to the folder; unreadable folders are skipped
 */
async function filesUnder(folder: string, depth: number): Promise<readonly string[]> {
  const files: string[] = [];
  let left = mostEntries;
  let level = [""];
  for (let below = 0; below < depth && level.length > 0; below++) {
    const next: string[] = [];
    for (const path of level) {
      for (const entry of await entriesOf(join(folder, path))) {
        if (left-- <= 0) return files.sort();
        if (entry.isFile()) files.push(path + entry.name);
        else if (entry.isDirectory() && !isHidden(entry.name)) next.push(`${path}${entry.name}/`);
      }
    }
    level = next;
  }
  return files.sort();
}

function isHidden(name: string): boolean {
  return name.startsWith(".") || name === "node_modules";
}

/** The result only serves hints, so an unreadable folder is not an error. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}
