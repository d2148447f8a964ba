import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Resolves modules as ts-morph does. */
export const requireAsMorph = createRequire(createRequire(import.meta.url).resolve("ts-morph"));

/** Path of the TypeScript bundled with ts-morph. */
export function typescriptFile(): string {
  return join(dirname(requireAsMorph.resolve("@ts-morph/common")), "typescript.js");
}
