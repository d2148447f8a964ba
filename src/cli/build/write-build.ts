import { dirname, join, relative, resolve } from "node:path";
import { visible } from "../../base/text/visible.js";
import { cacheKey } from "../../compiler/cache/cache-key.js";
import type { ProjectBuild } from "../../compiler/project/build-project.js";
import type { RecordStore } from "../../compiler/write/record.js";
import type { NodeCache } from "../../machine/compiler/cache.js";
import { createNodeHost } from "../../machine/files/host.js";
import { replaceFile } from "../../machine/files/replace-file.js";
import { openCache } from "../cache/open-cache.js";
import { writeTarget } from "../compile/write-target.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";

/** Where a build is written. */
interface Places {
  /** Path of the manifest. */
  readonly manifest: string;
  /** The folder of the build; absent if only types were generated. */
  readonly out?: string | undefined;
  /** Absolute paths of the files that were read. */
  readonly inputs: ReadonlySet<string>;
}

/** In bytes. */
const largestManifest = 64 * 1024 * 1024;

/** Writes the types, the build and the changed manifest; returns the exit code. */
export async function writeBuild(
  { types, typesFolders, files, manifest: changed }: ProjectBuild,
  { manifest, out, inputs }: Places,
  terminal: Terminal,
): Promise<number> {
  const own = typesFolders.map((folder) => resolve(terminal.cwd, dirname(manifest), folder));
  const cache = openCache({ cache: true, verbose: false }, terminal);
  const recordOf = (folder: string): RecordStore =>
    recordIn(cache, resolve(terminal.cwd, folder), resolve(terminal.cwd, manifest));
  for (const folder of own) {
    const target = relative(terminal.cwd, folder) || ".";
    // Earlier generated files were read to find the folder. They are ours to replace.
    const others = new Set([...inputs].filter((path) => !path.startsWith(join(folder, "/"))));
    const code = await writeTarget(
      target,
      { files: types, force: true, inputs: others, record: recordOf(folder) },
      terminal,
    );
    if (code !== exitCodes.clean) return code;
  }
  if (out !== undefined) {
    const code = await writeTarget(out, { files, force: true, inputs, record: recordOf(out) }, terminal);
    if (code !== exitCodes.clean) return code;
    terminal.out(summary(files));
  }
  return changed === undefined ? exitCodes.clean : changeManifest(manifest, changed, terminal);
}

/**
 * Keeps the record of a folder in the user's cache, because other tools read the folder: it gets the files of
 * graph-cli and no others. Each manifest has its own record, because several may share a folder.
 * @param folder absolute
 * @param manifest absolute
 */
function recordIn(cache: NodeCache | undefined, folder: string, manifest: string): RecordStore {
  const key = cacheKey("record", [folder, manifest]);
  return {
    async get() {
      const bytes = await cache?.get(key);
      return bytes && Buffer.from(bytes).toString();
    },
    async put(text) {
      await cache?.put(key, Buffer.from(text));
    },
  };
}

async function changeManifest(manifest: string, text: string, terminal: Terminal): Promise<number> {
  const read = await createNodeHost({ cwd: terminal.cwd }).readFile(manifest, largestManifest);
  if (read.kind !== "bytes") {
    terminal.err(`${visible(manifest)} was not changed: it can no longer be read.\n`);
    return exitCodes.diagnostics;
  }
  const path = resolve(terminal.cwd, manifest);
  const result = await replaceFile(path, read.bytes, Buffer.from(text));
  if (result.kind === "replaced") {
    terminal.out(`Changed ${visible(manifest)} as graph build does.\n`);
    return exitCodes.clean;
  }
  terminal.err(`${visible(manifest)} was not changed: ${result.reason}.\n`);
  return exitCodes.diagnostics;
}

/** A count of the mappings and their size. */
function summary(files: ProjectBuild["files"]): string {
  const modules = [...files].filter(([path]) => path.endsWith(".wasm"));
  const bytes = modules.reduce((sum, [, content]) => sum + content.length, 0);
  return `${count(modules.length, "mapping")}, ${Math.ceil(bytes / 1024)} KB of WASM.\n`;
}
