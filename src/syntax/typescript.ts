import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ts } from "ts-morph";

/**
 * TypeScript as ts-morph carries it. It is taken from its file: ts-morph itself, which only wraps it, is another four
 * megabytes of script, and importing rather than requiring it has all of them scanned for names of exports first.
 */
export const typescript: typeof ts = load();

function load(): typeof ts {
  const morph = createRequire(createRequire(import.meta.url).resolve("ts-morph"));
  return morph(join(dirname(morph.resolve("@ts-morph/common")), "typescript.js"));
}
