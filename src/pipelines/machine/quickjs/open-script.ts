import { optionalPackage } from "../../../machine/optional-package.js";
import type { ScriptProgram, ScriptRunner } from "../../script/script-engine.js";
import type { ScriptLimits } from "./script-limits.js";
import { ScriptThread } from "./script-thread.js";

/**
 * Opens a script, which runs in an engine and a thread of its own. The thread is started when there are rows.
 * @throws PackageMissingError
 */
export async function openScript(program: ScriptProgram, limits: ScriptLimits): Promise<ScriptRunner> {
  // The thread loads it; here it must only be there.
  await optionalPackage("A script", "quickjs-emscripten", () => import("quickjs-emscripten"));
  return new ScriptThread(program, limits);
}
