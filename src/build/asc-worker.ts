/**
 * The worker thread that holds the AssemblyScript compiler. A thread, because the compiler ends "its process" when
 * it crashes, may never return, keeps global state, and takes a while to load.
 */
import { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";
import { present } from "../diagnostics/invariant.js";
import { type AscModule, type CompilerInternals, type LoadedAsc, runAsc } from "./asc-run.js";
import type { AscInput, AscOutput } from "./built-wasm.js";
import type { BinaryenModule } from "./optimize-fast.js";

/** What the main thread asks for. */
export interface AscRequest {
  readonly id: number;
  readonly input: AscInput;
}

/** What it is told. */
export interface AscReply {
  readonly id: number;
  readonly output: AscOutput;
}

const printed: string[] = [];
const port = present(parentPort, "asc-worker runs as a worker thread only");
const loaded = load();
// Whoever asks is told why it failed; here that only must not count as unhandled.
loaded.catch(() => undefined);

port.on("message", async ({ id, input }: AscRequest) => {
  const reply: AscReply = { id, output: await answer(input) };
  port.postMessage(reply);
});

async function answer(input: AscInput): Promise<AscOutput> {
  try {
    return runAsc(await loaded, input, printed);
  } catch (error) {
    return { kind: "crashed", message: `the compiler could not be loaded: ${String(error)}` };
  }
}

async function load(): Promise<LoadedAsc> {
  silence();
  // Resolved from here, so that it is the version graphloom depends on and not the newer one inside graph-ts.
  const ours = createRequire(import.meta.url);
  const theirs = createRequire(ours.resolve("assemblyscript"));
  // The WebAssembly build of binaryen compiles a second faster than the JavaScript one when run once.
  const binaryen = theirs("binaryen/wasm") as BinaryenModule;
  (globalThis as { binaryen?: BinaryenModule }).binaryen = binaryen;
  // The compiler's bundle requires the JavaScript build even so, only to leave it unused: 0.2 s and 5 MB of script.
  const unused = theirs.resolve("binaryen");
  theirs.cache[unused] = { id: unused, filename: unused, loaded: true, exports: binaryen } as NodeJS.Module;
  await binaryen.ready;
  const internals = theirs("assemblyscript") as CompilerInternals;
  const asc = theirs("assemblyscript/cli/asc") as AscModule;
  return { asc, internals, binaryen };
}

/** Nothing of the compiler reaches the terminal; its last words are kept for the report of a crash. */
function silence(): void {
  const keep = (...words: unknown[]): void => {
    printed.push(words.map(String).join(" "));
  };
  for (const method of ["log", "info", "warn", "error", "debug", "trace"] as const) console[method] = keep;
  process.exit = (code) => {
    throw new Error(`the compiler called process.exit(${String(code)})`);
  };
}
