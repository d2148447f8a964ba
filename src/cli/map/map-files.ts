import { dirname, relative, resolve, sep } from "node:path";
import { visible } from "../../base/text/visible.js";
import { createNodeHost } from "../../machine/files/host.js";
import { readReason } from "../../machine/files/read-reason.js";
import { replaceFile, whyUnreplaceable } from "../../machine/files/replace-file.js";
import { writeOwnFile } from "../../machine/files/write-own-file.js";
import type { DrawnMap } from "./drawn-map.js";
import type { MapTarget } from "./map-format.js";
import { imageReference, mermaidBlock, readmeMarkers, withMapPart } from "./readme-part.js";

/** A file of a map cannot be read or written; the message says what to do. */
export class MapFileError extends Error {
  override readonly name = "MapFileError";
}

/** The content of a README before and after it has the map. */
interface KeptReadme {
  readonly path: string;
  readonly before: Uint8Array;
  readonly after: Buffer;
  readonly isCurrent: boolean;
}

/**
 * Writes a map to its files. Does not write if the README has no place for the map, or is not writable.
 * @param cwd absolute
 * @throws MapFileError
 */
export async function writeMap(drawn: DrawnMap, target: MapTarget, cwd: string): Promise<void> {
  const { output, readme } = target;
  const kept = await readmeWith(drawn, target, cwd);
  const unwritable = (reason: string): MapFileError =>
    new MapFileError(`${visible(readme ?? "")} cannot be written: ${reason}.`);
  const problem = kept && !kept.isCurrent ? await whyUnreplaceable(kept.path) : undefined;
  if (problem !== undefined) throw unwritable(problem);
  if (output !== undefined) {
    const failure = await writeOwnFile(resolve(cwd, output), drawn.content, drawn.isOwn);
    if (failure !== undefined)
      throw new MapFileError(`${visible(output)} cannot be written: ${visible(failure)}`);
  }
  if (!kept || kept.isCurrent) return;
  const replaced = await replaceFile(kept.path, kept.before, kept.after);
  if (replaced.kind === "failed") throw unwritable(replaced.reason);
}

/**
 * The files of a map that differ from it, by name in the target.
 * @param cwd absolute
 * @throws MapFileError if the README has no place for the map
 */
export async function staleFiles(
  drawn: DrawnMap,
  target: MapTarget,
  cwd: string,
): Promise<readonly string[]> {
  const { output, readme } = target;
  const kept = await readmeWith(drawn, target, cwd);
  const stale = kept && readme !== undefined && !kept.isCurrent ? [readme] : [];
  if (output === undefined) return stale;
  const content = Buffer.from(drawn.content);
  const written = await createNodeHost({ cwd }).readFile(resolve(cwd, output), content.length);
  const isCurrent = written.kind === "bytes" && content.equals(written.bytes);
  return isCurrent ? stale : [output, ...stale];
}

/** A larger file is not a README. */
const largestReadme = 10_000_000;

async function readmeWith(
  drawn: DrawnMap,
  { output, readme }: MapTarget,
  cwd: string,
): Promise<KeptReadme | undefined> {
  if (readme === undefined) return undefined;
  const path = resolve(cwd, readme);
  const read = await createNodeHost({ cwd }).readFile(path, largestReadme);
  if (read.kind !== "bytes")
    throw new MapFileError(`${visible(readme)} cannot be read: ${readReason(read, largestReadme)}`);
  const before = read.bytes;
  const text = Buffer.from(before).toString();
  if (!Buffer.from(text).equals(before))
    throw new MapFileError(`${visible(readme)} is not a Markdown file in UTF-8. Save it as UTF-8.`);
  const showsFile = output !== undefined && drawn.format !== "mermaid";
  const part = showsFile
    ? imageReference(drawn.title, relative(dirname(path), resolve(cwd, output)).split(sep).join("/"))
    : mermaidBlock(String(drawn.content));
  const result = withMapPart(text, part);
  if ("fault" in result) throw new MapFileError(faultText(visible(readme), result.fault));
  const after = Buffer.from(result.text);
  return { path, before, after, isCurrent: after.equals(before) };
}

function faultText(readme: string, fault: "missing" | "repeated"): string {
  const [begin, end] = readmeMarkers;
  if (fault === "repeated")
    return `${readme} has ${begin} or ${end} more than once. Keep one pair of these lines.`;
  return `${readme} has no place for the map. Add these two lines where the map should be, and run this again:\n\n${begin}\n${end}\n`;
}
