import { deserialize, serialize } from "node:v8";
import type { Asc, AscInput, AscOutput } from "../asc/asc.js";
import { cacheKey } from "./cache-key.js";
import type { CacheStore } from "./cache-store.js";

/**
 * Wraps a compiler with the compilation cache. Crashes and timeouts are not cached, because they do not depend only
 * on the program.
 */
export function cachedAsc(asc: Asc, cache: CacheStore): Asc {
  return {
    async compile(input, options) {
      const key = cacheKeyOf(input);
      const kept = await cache.get(key);
      if (kept) return deserialize(kept) as AscOutput;
      const output = await asc.compile(input, options);
      if (output.kind === "compiled" || output.kind === "rejected") await cache.put(key, serialize(output));
      return output;
    },
    prepare: (graphTs) => asc.prepare(graphTs),
    close: () => asc.close(),
  };
}

/** The cache key of the whole input. */
function cacheKeyOf({ entry, mode, files, graphTs, packages, expressions, ...rest }: AscInput): string {
  // A compile error here means that the key lacks a new member of the input.
  const others: Record<string, never> = rest;
  return cacheKey("asc", {
    ...others,
    entry,
    mode,
    expressions,
    files: [...files],
    graphTs: [...graphTs],
    ...(packages && { packages: { folder: packages.folder, files: [...packages.files] } }),
  });
}
