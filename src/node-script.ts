import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname } from "node:path";
import { arch, version } from "node:process";
import { Script } from "node:vm";
import type { CacheStore } from "./cache/cache-store.js";

type KeepCode = () => Promise<void>;

const nothing: KeepCode = async () => undefined;

/**
 * Loads a large script of the older module format with what V8 made of it the last time, which takes a third of the
 * time; whoever requires it afterwards gets that one. Does nothing when it is loaded already.
 * @param file absolute path
 * @returns keeps what V8 has made of it by then, if that was not there: to be called once it has been used
 */
export async function loadWithCode(file: string, cache: CacheStore): Promise<KeepCode> {
  const require = createRequire(file);
  if (require.cache[file]) return nothing;
  const source = readFileSync(file, "utf8");
  const key = keyOf(file);
  const cachedData = await cache.get(key);
  const script = new Script(Module.wrap(source), {
    filename: file,
    ...(cachedData && { cachedData: Buffer.from(cachedData) }),
  });
  const module = new Module(file);
  module.filename = file;
  module.paths = require.resolve.paths("x") ?? [];
  // As Node does it: what requires itself in a circle gets what there is so far.
  require.cache[file] = module;
  const run = script.runInThisContext() as (...args: readonly unknown[]) => void;
  run.call(module.exports, module.exports, require, module, file, dirname(file));
  module.loaded = true;
  if (cachedData && !script.cachedDataRejected) return nothing;
  return () => cache.put(key, script.createCachedData());
}

/** V8 itself refuses what another version of it made, or what was made of a text of another length. */
function keyOf(file: string): string {
  const { size, mtimeMs } = statSync(file);
  return createHash("sha256")
    .update(JSON.stringify(["code", file, size, mtimeMs, version, arch]))
    .digest("hex");
}
