import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createNodeCache, type NodeCache } from "../../../src/machine/compiler/cache.js";

const folder = fileURLToPath(new URL("../../../node_modules/.graphloom-tests/cache", import.meta.url));

/**
 * The environment of commands that reuse the results of other tests, in this run or an earlier one: new databases and
 * compiled programs. For tests that are about neither.
 */
export const sharedCache: Readonly<Record<string, string>> = { GRAPHLOOM_CACHE: folder };

/** The same cache, for tests without a command. */
export const images: NodeCache = createNodeCache({ folder });

/** The outputs of the AssemblyScript compiler, by program. */
export const programs: NodeCache = createNodeCache({ folder: join(folder, "../programs"), limit: 1 << 30 });
