import type { Options } from "yargs";

/** Options that several commands share. An option given twice counts once, the last time. */
export const buildOption = {
  type: "boolean",
  default: false,
  describe: "also compile the mappings to WASM",
} as const satisfies Options;

export const optimizeOption = {
  choices: ["fast", "full"],
  default: "fast",
  requiresArg: true,
  describe: "how hard to optimise the WASM; full gives the bytes that graph build gives, and takes longer",
} as const satisfies Options;

export const forceOption = {
  type: "boolean",
  default: false,
  describe: "overwrite existing files",
} as const satisfies Options;
