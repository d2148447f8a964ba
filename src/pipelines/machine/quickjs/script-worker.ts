/**
 * The thread of a script. A thread, because some operations of the engine cannot be interrupted: only with their thread can
 * they be ended.
 */
import { parentPort, workerData } from "node:worker_threads";
import { present } from "../../../base/invariant.js";
import type { Rows } from "../../changes/rows.js";
import type { ScriptAnswer, ScriptProgram } from "../../script/script-engine.js";
import { Pulse } from "./pulse.js";
import { ScriptSandbox } from "./sandbox.js";
import type { ScriptLimits } from "./script-limits.js";

/** The start parameters of the thread. */
export interface ScriptThreadData {
  readonly program: ScriptProgram;
  readonly limits: ScriptLimits;
  readonly pulse: SharedArrayBuffer;
}

const port = present(parentPort, "script-worker only runs as a worker thread");
const { program, limits, pulse } = workerData as ScriptThreadData;
useUniversalTime();
const opened = ScriptSandbox.open(program, limits, new Pulse(pulse));
// The first call reports the failure; here it must only not count as unhandled.
opened.catch(() => undefined);

port.on("message", async (rows: Rows) => {
  port.postMessage(await answer(rows));
});

async function answer(rows: Rows): Promise<ScriptAnswer> {
  const sandbox = await opened;
  return sandbox instanceof ScriptSandbox ? sandbox.run(rows) : sandbox;
}

/** The engine asks this thread's dates for the local time, which must be the same on every machine. */
function useUniversalTime(): void {
  const { prototype } = Date;
  prototype.getTimezoneOffset = () => 0;
  for (const part of [
    "FullYear",
    "Month",
    "Date",
    "Day",
    "Hours",
    "Minutes",
    "Seconds",
    "Milliseconds",
  ] as const)
    prototype[`get${part}`] = prototype[`getUTC${part}`];
}
