import { Worker } from "node:worker_threads";
import { InternalError, invariant } from "../../base/invariant.js";
import type { Asc, AscInput, AscOutput } from "../../compiler/asc/asc.js";
import type { AscReply, AscRequest } from "./asc-worker.js";

/**
 * Starts loading the AssemblyScript compiler in a worker thread, so that it is ready for the first program.
 * While idle, it does not keep Node running.
 */
export function startAsc(): Asc {
  let worker: Worker | undefined = start();
  let isClosed = false;
  let abandon: ((reason: Error) => void) | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let nextId = 1;

  function start(): Worker {
    const started = boot();
    started.once("exit", () => {
      if (worker === started) worker = undefined;
    });
    return started;
  }

  async function run(input: AscInput, seconds: number): Promise<AscOutput> {
    invariant(!isClosed, "the compiler is closed");
    worker ??= start();
    const used = worker;
    const output = await untilClosed(ask(used, { id: nextId++, input }, seconds));
    if (output.kind !== "compiled" && output.kind !== "rejected") {
      // Its state is unknown, so the next program gets a fresh worker.
      worker = undefined;
      await used.terminate();
    }
    return output;
  }

  /**
   * Settles like the output, or rejects if the compiler is closed. Nothing that outlives a compilation may reference
   * the output, which would then live as long as the compiler.
   */
  async function untilClosed(output: Promise<AscOutput>): Promise<AscOutput> {
    try {
      return await new Promise<AscOutput>((resolve, reject) => {
        abandon = reject;
        output.then(resolve, reject);
      });
    } finally {
      abandon = undefined;
    }
  }

  return {
    prepare(graphTs) {
      const request: AscRequest = { graphTs };
      worker?.postMessage(request);
    },
    compile(input, options = {}) {
      const result = last.then(() => run(input, options.timeoutSeconds ?? timeoutFor(input)));
      last = result.catch(() => undefined);
      return result;
    },
    async close() {
      isClosed = true;
      abandon?.(new InternalError("the compiler was closed while it was working"));
      const used = worker;
      worker = undefined;
      await used?.terminate();
    },
  };
}

/**
 * Seconds after which a compilation counts as hung: many times what a slow machine needs for a program of this size.
 */
function timeoutFor(input: AscInput): number {
  let length = 0;
  for (const text of input.files.values()) length += text.length;
  return 60 + Math.ceil(length / 5_000);
}

function boot(): Worker {
  const worker = new Worker(new URL("./asc-worker.js", import.meta.url), {
    // The parent's flags, such as loaders or the inspector, must not reach the compiler.
    execArgv: [],
    // Captured, so that nothing reaches the terminal, but never read, because reading would keep Node running.
    stdout: true,
    stderr: true,
    // Most of the compiler's objects live long, so that a larger young generation only costs memory.
    resourceLimits: { stackSizeMb: 16, maxYoungGenerationSizeMb: 3 },
  });
  worker.on("error", () => undefined);
  worker.unref();
  return worker;
}

function ask(
  worker: Worker,
  request: AscRequest & { readonly id: number },
  seconds: number,
): Promise<AscOutput> {
  return new Promise((resolve) => {
    const settle = (output: AscOutput): void => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      worker.unref();
      resolve(output);
    };
    const onMessage = (reply: AscReply): void => {
      if (reply.id === request.id) settle(reply.output);
    };
    const onError = (error: NodeJS.ErrnoException): void =>
      settle(
        error.code === "ERR_WORKER_OUT_OF_MEMORY"
          ? { kind: "exhausted" }
          : { kind: "crashed", message: error.message },
      );
    const onExit = (code: number): void =>
      settle({ kind: "crashed", message: `the compiler thread exited with code ${code}` });
    const timer = setTimeout(() => settle({ kind: "hung", seconds }), seconds * 1000);
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    worker.ref();
    worker.postMessage(request);
  });
}
