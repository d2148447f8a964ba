import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

/** Ends a process that hangs: in an endless loop, no timer of the same thread fires. */
export interface Watchdog {
  /** Call this before each piece of work, with the input that repeats it. */
  watch(text: string): void;
  close(): Promise<void>;
}

/** The code of a separate thread, which is therefore a string. */
const guard = `
const { readFileSync, writeSync } = require("node:fs");
const { workerData } = require("node:worker_threads");
const beats = new Int32Array(workerData.beats);
let seen = 0;
let since = Date.now();
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  if (beat !== seen) [seen, since] = [beat, Date.now()];
  if (seen === 0 || Date.now() - since < workerData.patience) return;
  writeSync(2, "hangs: " + readFileSync(workerData.file, "utf8") + "\\n");
  process.kill(process.pid, "SIGKILL");
}, Math.min(1000, workerData.patience));
`;

/** @param patience time limit of a piece of work, in milliseconds */
export function startWatchdog(patience: number): Watchdog {
  const beats = new SharedArrayBuffer(4);
  const folder = mkdtempSync(join(tmpdir(), "graphloom-watchdog-"));
  const file = join(folder, "current");
  const worker = new Worker(guard, { eval: true, workerData: { beats, file, patience } });
  worker.unref();
  return {
    watch(text) {
      writeFileSync(file, text);
      Atomics.add(new Int32Array(beats), 0, 1);
    },
    async close() {
      await worker.terminate();
      rmSync(folder, { recursive: true });
    },
  };
}
