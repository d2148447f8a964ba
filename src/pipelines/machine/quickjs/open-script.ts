import { optionalPackage } from "../../../machine/optional-package.js";
import type { ScriptProgram, ScriptRunner } from "../../script/script-engine.js";
import type { ScriptLimits } from "./script-limits.js";
import { ScriptThread } from "./script-thread.js";

/**
 * Opens a script, which runs in a separate engine and thread. The thread starts with the first rows.
 * @throws PackageMissingError
 */
export async function openScript(program: ScriptProgram, limits: ScriptLimits): Promise<ScriptRunner> {
  // The thread loads it; here it only has to exist.
  await optionalPackage("A script", "quickjs-emscripten", () => import("quickjs-emscripten"));
  return new ScriptThread(program, limits);
}
