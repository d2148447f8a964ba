import { Worker } from "node:worker_threads";
import { messageOf } from "../../../base/text/message-of.js";
import { guarded } from "../../../base/turns/guarded.js";
import type { Rows } from "../../changes/rows.js";
import type { ScriptAnswer, ScriptProgram, ScriptRunner } from "../../script/script-engine.js";
import { Pulse } from "./pulse.js";
import { type ScriptLimits, takesLonger } from "./script-limits.js";
import type { ScriptThreadData } from "./script-worker.js";

/** Milliseconds that an operation may exceed the time of a row until it is ended from outside. */
const grace = 1_000;
/** Milliseconds between two checks of the pulse. */
const look = 100;

/** A script in a separate thread, which is ended when the script fails, and started when there are rows. */
export class ScriptThread implements ScriptRunner {
  readonly #program: ScriptProgram;
  readonly #limits: ScriptLimits;
  #worker: Worker | undefined;
  #pulse = new Pulse();

  constructor(program: ScriptProgram, limits: ScriptLimits) {
    this.#program = program;
    this.#limits = limits;
  }

  async run(rows: Rows): Promise<ScriptAnswer> {
    const worker = this.#worker ?? this.#boot();
    this.#worker = worker;
    const answer = await this.#ask(worker, rows);
    if (answer.kind === "failed") await this.close();
    return answer;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #boot(): Worker {
    this.#pulse = new Pulse();
    const data: ScriptThreadData = {
      program: this.#program,
      limits: this.#limits,
      pulse: this.#pulse.memory,
    };
    const worker = new Worker(new URL("./script-worker.js", import.meta.url), {
      workerData: data,
      // The script's engine must not see any of the parent's environment.
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
    });
    worker.on("error", () => undefined);
    worker.unref();
    return worker;
  }

  #ask(worker: Worker, rows: Rows): Promise<ScriptAnswer> {
    return new Promise((resolve) => {
      const settle = (answer: ScriptAnswer): void => {
        clearInterval(timer);
        worker.off("message", settle).off("error", onError).off("exit", onExit);
        worker.unref();
        resolve(answer);
      };
      const fail = (message: string, row?: number): void => settle({ kind: "failed", row, message });
      const onError = (error: Error): void => fail(`its engine has failed: ${messageOf(error)}`);
      const onExit = (code: number): void => fail(`its thread has ended with code ${code}`);
      const isStuck = this.#watch();
      const watch = (): void => {
        if (isStuck()) fail(takesLonger(this.#limits.rowTime), this.#pulse.row);
      };
      const timer = setInterval(
        guarded(watch, (error) => fail(messageOf(error))),
        look,
      );
      worker.on("message", settle).on("error", onError).on("exit", onExit);
      worker.ref();
      worker.postMessage(rows);
    });
  }

  /** Whether the script has run for too long without a beat, so that it cannot be interrupted. */
  #watch(): () => boolean {
    let seen = this.#pulse.beats;
    let since = performance.now();
    return () => {
      const { beats } = this.#pulse;
      if (beats === undefined || beats !== seen) {
        seen = beats;
        since = performance.now();
      }
      return performance.now() - since > this.#limits.rowTime + grace;
    };
  }
}
