import { deserialize, serialize } from "node:v8";
import type { Asc, AscInput, AscOutput } from "../asc/asc.js";
import { cacheKey } from "./cache-key.js";
import type { CacheStore } from "./cache-store.js";

/**
 * A compiler that compiles a program only when it has not been compiled before.
 * What the compiler makes of a program depends on that program alone, unless it crashes or hangs: that is not kept.
 */
export function cachedAsc(asc: Asc, cache: CacheStore): Asc {
  return {
    async compile(input, options) {
      const key = keyOf(input);
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

/** Everything the compiler is given. */
function keyOf({ entry, mode, files, graphTs, expressions, ...rest }: AscInput): string {
  // A new member has to be taken into the key: without that, this does not compile.
  const others: Record<string, never> = rest;
  return cacheKey("asc", {
    ...others,
    ...{ entry, mode, expressions },
    ...{ files: [...files], graphTs: [...graphTs] },
  });
}
