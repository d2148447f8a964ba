import { createHash } from "node:crypto";
import type { Asc, AscInput, AscOutput } from "../../src/compiler/asc/asc.js";
import { startAsc } from "../../src/node/asc.js";

let started: Asc | undefined;
const own = (): Asc => {
  started ??= startAsc();
  return started;
};

/**
 * The AssemblyScript compiler for all files that one worker of the tests runs, which compiles whatever it is given:
 * started when it is first used, warm from then on, gone with the worker. Whoever tests the start or the end of one
 * starts one.
 */
export const ascEachTime: Asc = {
  prepare: (graphTs) => own().prepare(graphTs),
  compile: (input, options) => own().compile(input, options),
  close: () => Promise.resolve(),
};

/** How many programs are kept. */
const most = 500;
const known = new Map<string, Promise<AscOutput>>();

/**
 * The same, of which tests that are about the compiler's input or its output have each program once: many
 * configurations are one program, and a program has one output, see the tests that compile each time.
 */
export const asc: Asc = {
  ...ascEachTime,
  async compile(input, options) {
    const key = digest(input);
    const before = await known.get(key);
    // What has crashed or hung might not do so again.
    if (before?.kind === "compiled" || before?.kind === "rejected") return structuredClone(before);
    const output = own().compile(input, options);
    known.set(key, output);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return structuredClone(await output);
  },
};

const libraries = new WeakMap<AscInput["graphTs"], string>();

/** Tells programs apart: those that are equal in everything that the compiler sees have the same. */
function digest({ files, graphTs, ...others }: AscInput): string {
  const library = libraries.get(graphTs) ?? digestOf([...graphTs]);
  libraries.set(graphTs, library);
  return digestOf([others, [...files], library]);
}

function digestOf(data: unknown): string {
  return createHash("sha256").update(JSON.stringify(data)).digest("base64");
}
