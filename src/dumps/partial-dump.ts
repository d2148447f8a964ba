import { createHash } from "node:crypto";
import { parseJson } from "../base/text/json-value.js";
import { DumpError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import { readHidden } from "./dump-folder.js";
import { type DumpBlock, type DumpMetadata, printMetadata, readMetadata } from "./dump-metadata.js";
import { Member } from "./member.js";

/** A dump that is received, as far as it has come. */
export interface PartialDump {
  /** With the files that are whole; the head is the newest block that they depend on. */
  readonly metadata: DumpMetadata;
  /** The block as of which all received rows of a table are, by its name. */
  readonly asOf: ReadonlyMap<string, number>;
}

/** Hidden, because dumps do not have it. */
const partialName = ".graphloom-dump.json";

/**
 * What an interrupted dump has left in a folder.
 * @param previous the dump that the folder has
 * @returns `undefined` if it left nothing, or the folder has another dump since then
 * @throws DumpError, and errors of the system
 */
export async function readPartial(
  files: DumpFiles,
  previous: DumpMetadata | undefined,
): Promise<PartialDump | undefined> {
  const text = await readHidden(files, partialName);
  if (text === undefined) return undefined;
  try {
    const root = new Member(parseJson(text), partialName);
    if (root.maybe("base")?.text() !== baseOf(previous)) return undefined;
    const metadata = readMetadata(root.at("metadata").text());
    const blocks = root.at("as_of").entries();
    const asOf = blocks.map(([type, block]) => [type, block.integer(-1)] as const);
    return { metadata, asOf: new Map(asOf) };
  } catch (error) {
    // Only this program writes it; one of another version is worth as much as none.
    if (error instanceof DumpError) return undefined;
    throw error;
  }
}

/** Remembers how far a dump has come. @param previous the dump that the folder has */
export async function keepPartial(
  files: DumpFiles,
  previous: DumpMetadata | undefined,
  { metadata, asOf }: PartialDump,
): Promise<void> {
  const kept = {
    base: baseOf(previous),
    metadata: printMetadata(metadata),
    as_of: Object.fromEntries(asOf),
  };
  await files.write(partialName, Buffer.from(JSON.stringify(kept)));
}

/** Forgets it: the dump is complete, or it cannot be continued. */
export async function forgetPartial(files: DumpFiles): Promise<void> {
  await files.remove(partialName);
}

function baseOf(previous: DumpMetadata | undefined): string | undefined {
  return previous && createHash("sha256").update(printMetadata(previous)).digest("hex");
}

/** The newer of two blocks. */
export function newerOf(a: DumpBlock | undefined, b: DumpBlock | undefined): DumpBlock | undefined {
  return (b?.number ?? -1) >= (a?.number ?? -1) ? b : a;
}
