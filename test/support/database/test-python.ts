import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
/** Where `.ci/run` puts a Python with what tests read files by. */
const own = join(cache, "graphloom-test", "python", "bin", "python3");

/** A Python: the one that `GRAPHLOOM_TEST_PYTHON` names, the one that `.ci/run` brought, or that of the system. */
export const python = process.env.GRAPHLOOM_TEST_PYTHON ?? (existsSync(own) ? own : "python3");

/** Why tests that need some modules of Python are skipped; `undefined` when they are there. */
export function lackOfPython(...modules: readonly string[]): string | undefined {
  try {
    execFileSync(python, ["-c", `import ${modules.join(", ")}`], { stdio: "ignore" });
    return undefined;
  } catch {
    return `python3 with ${modules.join(" and ")} is not installed; GRAPHLOOM_TEST_PYTHON may name one that has it`;
  }
}

/** Runs a script in a folder. @returns the JSON that it prints */
export function runPython(script: string, cwd: string): unknown {
  return JSON.parse(execFileSync(python, ["-c", script], { cwd, encoding: "utf8" }));
}
