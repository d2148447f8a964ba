import { createHash } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import type { Asc, AscInput, AscOutput } from "../../../src/compiler/asc/asc.js";
import { startAsc } from "../../../src/machine/compiler/asc.js";
import { programs } from "./shared-cache.js";

let started: Asc | undefined;
const own = (): Asc => {
  started ??= startAsc();
  return started;
};

/**
 * The AssemblyScript compiler shared by all files of a test worker. It compiles every program again. It starts on first
 * use, stays warm, and ends with the worker. A test of the start or the end of a compiler starts its own.
 */
export const ascEachTime: Asc = {
  prepare: (graphTs) => own().prepare(graphTs),
  compile: (input, options) => own().compile(input, options),
  close: () => Promise.resolve(),
};

/** Number of cached programs. */
const most = 500;
const known = new Map<string, Promise<AscOutput>>();

/**
 * The same compiler with a cache, for tests of the compiler's input or output. It compiles each program once across
 * workers and runs, as long as the compiler and its environment are the same. Many configurations are one program, and a
 * program has one output: see the tests that compile each time.
 */
export const asc: Asc = {
  ...ascEachTime,
  // It is started for the first program that is not in the cache.
  prepare: () => undefined,
  async compile(input, options) {
    const key = digest(input);
    const before = await known.get(key);
    // A crash or a hang might not happen again.
    if (before?.kind === "compiled" || before?.kind === "rejected") return structuredClone(before);
    const output = outputOf(key, input, options);
    known.set(key, output);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return structuredClone(await output);
  },
};

async function outputOf(key: string, ...asked: Parameters<Asc["compile"]>): Promise<AscOutput> {
  const kept = await programs.get(key);
  if (kept) return deserialize(kept);
  const output = await own().compile(...asked);
  if (output.kind === "compiled" || output.kind === "rejected") await programs.put(key, serialize(output));
  return output;
}

const libraries = new WeakMap<AscInput["graphTs"], string>();

/** The cache key of a program: programs that look equal to the compiler have the same key. */
function digest({ files, graphTs, packages, ...others }: AscInput): string {
  const library = libraries.get(graphTs) ?? digestOf([...graphTs]);
  libraries.set(graphTs, library);
  const further = packages && [packages.folder, [...packages.files]];
  return digestOf([others, [...files], library, ...(further ? [further] : [])]);
}

function digestOf(data: unknown): string {
  return createHash("sha256").update(JSON.stringify(data)).digest("base64");
}
