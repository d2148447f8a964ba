import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Requires what ts-morph requires. */
export const requireAsMorph = createRequire(createRequire(import.meta.url).resolve("ts-morph"));

/** The file that holds TypeScript as ts-morph carries it. */
export function typescriptFile(): string {
  return join(dirname(requireAsMorph.resolve("@ts-morph/common")), "typescript.js");
}
