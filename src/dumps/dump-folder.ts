import { messageOf } from "../base/text/message-of.js";
import { DumpError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import { type DumpMetadata, metadataName, readMetadata } from "./dump-metadata.js";

/** Far more than a dump with thousands of tables and files has. */
const mostMetadata = 64 * 1024 * 1024;
/** graph-node's limit for a file. */
const mostSchema = 32 * 1024 * 1024;

/** Writes to a folder while no other process does. @throws DumpError if one does; errors of the work */
export async function lockedFolder<Result>(files: DumpFiles, work: () => Promise<Result>): Promise<Result> {
  const lock = await files.lock();
  if (lock.kind === "held")
    throw new DumpError("another process is writing a dump to the folder", {
      hint: "Wait until it has ended.",
    });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** The metadata of a folder; `undefined` if it has none. @throws DumpError */
export async function readDumpFolder(files: DumpFiles): Promise<DumpMetadata | undefined> {
  const text = await smallFile(files, metadataName, mostMetadata);
  return text === undefined ? undefined : readMetadata(text);
}

/** A text of the folder, such as `schema.graphql`; `undefined` if it is missing. @throws DumpError */
export function readDumpText(files: DumpFiles, path: string): Promise<string | undefined> {
  return smallFile(files, path, mostSchema);
}

/** A text that the program keeps in the folder; `undefined` if it is missing. @throws DumpError */
export function readHidden(files: DumpFiles, path: string): Promise<string | undefined> {
  return smallFile(files, path, mostMetadata);
}

async function smallFile(files: DumpFiles, path: string, most: number): Promise<string | undefined> {
  try {
    return await files.small(path, most);
  } catch (error) {
    throw new DumpError(messageOf(error), { cause: error });
  }
}

/**
 * Removes the files of a dump that was not completed.
 * @param previous the dump that the folder has
 * @throws DumpError if there are other files, which may be someone's
 */
export async function clearLeftovers(files: DumpFiles, previous: DumpMetadata | undefined): Promise<void> {
  const own = new Set([metadataName, "metadata.json.tmp", "schema.graphql", "subgraph.yaml"]);
  const listed = [...(previous?.tables.values() ?? [])].flatMap(({ chunks, clamps }) => [
    ...chunks,
    ...clamps,
  ]);
  for (const { file } of listed) own.add(file);
  for (const path of await files.list("")) {
    if (own.has(path) || path.split("/").at(-1)?.startsWith(".")) continue;
    if (!/^[\w$]+\/(?:chunk|clamp)_\d{6,9}\.parquet$/.test(path))
      throw new DumpError(`the folder has other files, such as ${path}`, { hint: "Choose an empty folder." });
    await files.remove(path);
  }
}
