import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname, sep } from "node:path";
import { arch, version } from "node:process";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import type { CacheStore } from "../compiler/cache/cache-store.js";

/** Keeps what V8 has made of a script by then: to be called once the script has been used. */
export type KeepCode = () => Promise<void>;

const nothing: KeepCode = async () => undefined;

/**
 * Loads a large script of the older module format with what V8 made of it before, which takes a third of the time;
 * whoever requires it afterwards gets that one. Does nothing when it is loaded already.
 *
 * What V8 makes is only good for the same version of Node. The build leaves it for the one it ran on; for others it
 * is in the cache after the first time.
 * @param file absolute path
 */
export async function loadWithCode(file: string, cache: CacheStore | undefined): Promise<KeepCode> {
  const require = createRequire(file);
  if (require.cache[file]) return nothing;
  const source = readFileSync(file, "utf8");
  const key = keyOf(file);
  const code = builtCode(file) ?? (await cache?.get(key));
  const script = new Script(Module.wrap(source), {
    filename: file,
    ...(code && { cachedData: Buffer.from(code.buffer, code.byteOffset, code.length) }),
  });
  const module = new Module(file);
  module.filename = file;
  module.paths = require.resolve.paths("x") ?? [];
  // As Node does it: what requires itself in a circle gets what there is so far.
  require.cache[file] = module;
  const run = script.runInThisContext() as (...args: readonly unknown[]) => void;
  run.call(module.exports, module.exports, require, module, file, dirname(file));
  module.loaded = true;
  if (!cache || (code && !script.cachedDataRejected)) return nothing;
  return () => cache.put(key, script.createCachedData());
}

/** Where the build leaves what this version of Node makes of a file. */
export function builtCodePath(file: string): string {
  const parts = file.split(sep).slice(-3).join("-");
  const name = `${parts}-${statSync(file).size}-${version}-${arch}.code`;
  return fileURLToPath(new URL(`./code/${name}`, import.meta.url));
}

function builtCode(file: string): Uint8Array | undefined {
  const path = builtCodePath(file);
  return statSync(path, { throwIfNoEntry: false }) && readFileSync(path);
}

/** V8 itself refuses what another version of it made, or what was made of a text of another length. */
function keyOf(file: string): string {
  const { size, mtimeMs } = statSync(file);
  const parts = ["code", file, size, mtimeMs, version, arch];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
