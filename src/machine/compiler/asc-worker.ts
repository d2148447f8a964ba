/**
 * The worker thread of the AssemblyScript compiler. The compiler needs its own thread: when it crashes, it ends "its
 * process"; it may never return; it keeps global state; and it takes a while to load.
 */
import { parentPort } from "node:worker_threads";
import { present } from "../../base/invariant.js";
import type { AscInput, AscOutput } from "../../compiler/asc/asc.js";
import { librarySteps, runAsc } from "../../compiler/asc/asc-run.js";
import { loadAsc } from "../../compiler/asc/load-asc.js";
import { loadWithCode } from "../script.js";

/** A request of the main thread: a compilation, or preparation during idle time. */
export type AscRequest =
  | { readonly id: number; readonly input: AscInput }
  | { readonly graphTs: AscInput["graphTs"] };

/** The reply to a compilation request. */
export interface AscReply {
  readonly id: number;
  readonly output: AscOutput;
}

const printed: string[] = [];
const port = present(parentPort, "asc-worker only runs as a worker thread");
silence();
const loaded = loadAsc(async (file) => {
  // No cache: the build already stores V8's code cache of the compiler.
  await loadWithCode(file, undefined);
});
// The compilation reports the failure; this only prevents an unhandled rejection.
loaded.catch(() => undefined);

port.on("message", async (request: AscRequest) => {
  clearTimeout(pause);
  if ("graphTs" in request) return useIdleTime(request.graphTs);
  const reply: AscReply = { id: request.id, output: await answer(request.input) };
  port.postMessage(reply);
  // Most commands end without another compilation, so preparation waits a moment.
  pause = setTimeout(() => useIdleTime(request.input.graphTs), untilIdle);
});

/** Milliseconds. */
const untilIdle = 100;
let pause: NodeJS.Timeout | undefined;
let idle: NodeJS.Immediate | undefined;

/**
 * Parses library files for the next compilation, one per turn of the event loop, so that a request never waits for
 * more than one file.
 */
async function useIdleTime(graphTs: AscInput["graphTs"]): Promise<void> {
  const ready = await loaded.catch(() => undefined);
  if (!ready) return;
  const steps = librarySteps(ready.asc, ready.ahead, graphTs);
  const step = (): void => {
    if (hasNext(steps)) idle = setImmediate(step);
  };
  clearImmediate(idle);
  idle = setImmediate(step);
}

/** A library that crashes the parser is left for the compilation to report. */
function hasNext(steps: Iterator<void>): boolean {
  try {
    return steps.next().done !== true;
  } catch {
    return false;
  }
}

async function answer(input: AscInput): Promise<AscOutput> {
  try {
    return runAsc(await loaded, input, printed);
  } catch (error) {
    return { kind: "crashed", message: `the compiler could not be loaded: ${String(error)}` };
  }
}

/** Keeps the compiler's output off the terminal, and its last lines for a crash report. */
function silence(): void {
  const keep = (...words: unknown[]): void => {
    printed.push(words.map(String).join(" "));
  };
  for (const method of ["log", "info", "warn", "error", "debug", "trace"] as const) console[method] = keep;
  process.exit = (code) => {
    throw new Error(`the compiler called process.exit(${String(code)})`);
  };
}
