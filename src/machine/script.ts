import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname, sep } from "node:path";
import { arch, version } from "node:process";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import type { CacheStore } from "../compiler/cache/cache-store.js";

/** Stores V8's code cache of a script. Call it once the script has been used. */
export type KeepCode = () => Promise<void>;

const nothing: KeepCode = async () => undefined;

/**
 * Loads a large CommonJS script with V8's code cache, which takes a third of the time; later `require` calls return
 * the same module. A script that is already loaded is not loaded again.
 *
 * The code cache is only valid for one version of Node. The build creates one for its own version; for other versions
 * it is stored in the compilation cache after the first load.
 * @param file absolute path
 */
export async function loadWithCode(file: string, cache: CacheStore | undefined): Promise<KeepCode> {
  const require = createRequire(file);
  if (require.cache[file]) return nothing;
  const source = readFileSync(file, "utf8");
  const key = codeCacheKey(file);
  const code = builtCode(file) ?? (await cache?.get(key));
  const script = new Script(Module.wrap(source), {
    filename: file,
    ...(code && { cachedData: Buffer.from(code.buffer, code.byteOffset, code.length) }),
  });
  const module = new Module(file);
  module.filename = file;
  module.paths = require.resolve.paths("x") ?? [];
  // As Node does: a circular `require` returns the incomplete exports.
  require.cache[file] = module;
  const run = script.runInThisContext() as (...args: readonly unknown[]) => void;
  run.call(module.exports, module.exports, require, module, file, dirname(file));
  module.loaded = true;
  if (!cache || (code && !script.cachedDataRejected)) return nothing;
  return () => cache.put(key, script.createCachedData());
}

/** Path of the code cache that the build creates for this version of Node. */
export function builtCodePath(file: string): string {
  const parts = file.split(sep).slice(-3).join("-");
  const name = `${parts}-${statSync(file).size}-${version}-${arch}.code`;
  return fileURLToPath(new URL(`./code/${name}`, import.meta.url));
}

function builtCode(file: string): Uint8Array | undefined {
  const path = builtCodePath(file);
  return statSync(path, { throwIfNoEntry: false }) && readFileSync(path);
}

/** V8 itself rejects the code cache of another version or for a source of different length. */
function codeCacheKey(file: string): string {
  const { size, mtimeMs } = statSync(file);
  const parts = ["code", file, size, mtimeMs, version, arch];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
