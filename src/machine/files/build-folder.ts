import { realpathSync, statSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { quotePath } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import type { Host } from "../../compiler/host.js";
import { hasPendingChange } from "../../compiler/write/journal.js";
import { readRecord, recordText } from "../../compiler/write/record.js";
import { type Build, manifestPath, networkOf } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { completeBuild, linkedPaths, readManifestFile } from "../../subgraph/collect-build.js";
import { readReason } from "./read-reason.js";

/** Levels of folders between a manifest and its project: `build`, and one for the chain. */
const depth = 2;

/** Largest file to read, in bytes: above the limit of every target. */
const largestFile = 100_000_000;

/**
 * Reads the builds at a path: a manifest, a build folder, a folder with one build per chain, or a project with its
 * `build/`. Only manifests and the files they link to are read, and symbolic links out of the manifest's folder are
 * not followed.
 * @param path absolute
 * @param host reads the files
 * @returns the builds, sorted by the names of their folders
 * @throws BundleError if there is no build, or it is incomplete, is being replaced, or was left partly replaced
 */
export async function readBuildFolder(path: string, host: Host): Promise<readonly Build[]> {
  // Comes first, because a build that is being replaced has no manifest.
  settledState([path]);
  const found = await findManifests(path);
  const state = await stateOf(path, found);
  const reading = readBuilds(path, found, host);
  // Ignore errors of builds that were being replaced.
  await reading.catch(() => undefined);
  if ((await stateOf(path, found)) === state) return reading;
  throw new BundleError(`${quotePath(visible(path))} was changed while it was being read. Try again.`);
}

/**
 * A state that differs after a build was written. Not every build has a record, but every write moves the manifest,
 * which changes the file's status.
 */
async function stateOf(path: string, { manifests }: Manifests): Promise<string> {
  const settled = settledState([path, ...manifests]);
  const seen = manifests.length > 0 ? manifests : [path, join(path, "build")];
  const found = await Promise.all(seen.map((each) => stat(each, { bigint: true }).catch(() => undefined)));
  return [settled, ...found.map((stats) => stats && `${stats.ino} ${stats.ctimeNs}`)].join("\n");
}

async function readBuilds(
  path: string,
  { manifests, areChains }: Manifests,
  host: Host,
): Promise<readonly Build[]> {
  if (manifests.length === 0) {
    throw new BundleError(
      `${quotePath(visible(path))} contains no build of a subgraph: neither ${manifestPath} nor build/${manifestPath} exists. Build it first, or give the path of a build.`,
    );
  }
  const builds = await Promise.all(manifests.map((manifest) => readOne(manifest, manifest === path, host)));
  const isStray = (build: Build, index: number): boolean =>
    networkOf(build) !== basename(dirname(manifests[index] ?? ""));
  if (areChains && builds.some(isStray)) {
    const folders = manifests.map((manifest) => quotePath(visible(basename(dirname(manifest)))));
    throw new BundleError(
      `${quotePath(visible(path))} contains builds in folders that are not named after their chains (${folders.join(", ")}). Give the path of one of them.`,
    );
  }
  return builds;
}

interface Manifests {
  readonly manifests: readonly string[];
  /** Whether they are builds per chain, whose folders must be named after their chains. */
  readonly areChains: boolean;
}

async function findManifests(path: string): Promise<Manifests> {
  if (await isFile(path)) return { manifests: [path], areChains: false };
  for (const folder of [join(path, "build"), path]) {
    const found = await manifestsIn(folder);
    if (found.manifests.length > 0) return found;
  }
  return { manifests: [], areChains: false };
}

async function manifestsIn(folder: string): Promise<Manifests> {
  const own = join(folder, manifestPath);
  if (await isFile(own)) return { manifests: [own], areChains: false };
  const chains = (await foldersIn(folder)).map((name) => join(folder, name, manifestPath));
  const there = await Promise.all(chains.map(isFile));
  return { manifests: chains.filter((_, index) => there[index]), areChains: true };
}

/** @param isNamed whether the user named this manifest; then a symbolic link is followed */
async function readOne(path: string, isNamed: boolean, host: Host): Promise<Build> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  const bytes = await (isNamed ? read(path, host) : readInside(folder, path, host));
  if (!bytes) throw new BundleError(`${quotePath(visible(path))} does not exist.`);
  const file = readManifestFile(path, bytes);
  const contents = new Map<string, Uint8Array>();
  for (const linked of linkedPaths(file)) {
    const content = contents.get(linked) ?? (await readInside(folder, join(dirname(path), linked), host));
    // `completeBuild` reports a missing file, with the place that links to it.
    if (content) contents.set(linked, content);
  }
  return completeBuild({ ...file, name: basename(path) }, (linked) => contents.get(linked));
}

/**
 * Reads a file of a build.
 * @param folder the real path of the manifest's folder
 * @throws BundleError for a file outside it
 */
async function readInside(folder: string, path: string, host: Host): Promise<Uint8Array | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return read(path, host);
  const way = relative(folder, real);
  if (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return read(real, host);
  throw new BundleError(
    `${quotePath(visible(path))} was not read: a symbolic link leads out of the folder of the build. Put the file itself there.`,
  );
}

async function read(path: string, host: Host): Promise<Uint8Array | undefined> {
  const file = await host.readFile(path, largestFile);
  if (file.kind === "bytes") return file.bytes;
  if (file.kind === "missing") return undefined;
  throw new BundleError(`${quotePath(visible(path))} cannot be read: ${readReason(file, largestFile)}.`);
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/**
 * Checks that no project that contains one of the paths is partly written.
 * @param paths absolute paths of manifests, builds or projects
 * @returns a state that differs after one of the projects is written
 * @throws BundleError if a project may hold a mixture of old and new files
 */
function settledState(paths: readonly string[]): string {
  const folders = new Set(paths.flatMap(foldersAround));
  return [...folders]
    .map((folder) => {
      if (hasPendingChange(folder)) throw halfWritten(folder);
      return `${folder} ${recordText(readRecord(folder))}`;
    })
    .join("");
}

function halfWritten(folder: string): BundleError {
  return new BundleError(
    `${quotePath(visible(folder))} is half written: a run that replaces its files was interrupted or is still running. ` +
      "To complete it, run that again: graphloom compile <config> --out <folder> --force.",
  );
}

/** The folder at a path, and the parents that may be its project. */
function foldersAround(path: string): readonly string[] {
  const innermost = folderOf(path);
  if (innermost === undefined) return [];
  const folders = [innermost];
  for (let height = 0; height < depth; height++) folders.push(dirname(folders.at(-1) ?? innermost));
  return folders;
}

/** The real path of a folder, or of a file's folder; `undefined` if the path does not exist. */
function folderOf(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : dirname(real);
  } catch {
    return undefined;
  }
}
