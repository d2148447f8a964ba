import { visible } from "../../base/visible.js";
import type { FoundConfig } from "../../discovery/found.js";
import { compileProject } from "../compile/compile-project.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { wrapping } from "../terminal/word-wrap.js";
import type { GuideArguments } from "./guide-arguments.js";
import { nextSteps } from "./next-steps.js";

/** Summarizes the configurations of a folder, reports their errors, and prints the next steps for the first one. */
export async function showConfigs(
  configs: readonly FoundConfig[],
  args: GuideArguments,
  terminal: Terminal,
): Promise<number> {
  let code: number = exitCodes.clean;
  let steps = "";
  for (const { path } of configs) {
    const shown = await showConfig(path, args, terminal);
    if (shown.code !== exitCodes.clean) code = shown.code;
    if (steps === "") steps = shown.steps;
  }
  wrapping(terminal).out(steps);
  return code;
}

/**
 * Checks one configuration and summarizes it.
 * @returns the exit code, and the next steps
 */
export async function showConfig(
  path: string,
  args: GuideArguments,
  terminal: Terminal,
  more: { readonly rpc?: string | undefined; readonly isUninstalled?: boolean } = {},
): Promise<{ readonly code: number; readonly steps: string }> {
  const project = await compileProject(path, false, {}, args, terminal);
  if (!project) {
    const file = visible(path);
    const steps = `${file} has errors. Next:\n  graphloom check ${file} --watch\n      while you fix them\n`;
    return { code: exitCodes.diagnostics, steps };
  }
  const { name, version, chains } = project.model;
  const known = name === undefined || version === undefined ? undefined : `${name}/${version}`;
  wrapping(terminal).out(`${visible(path)} is valid: ${known ?? name ?? "unnamed"}\n${project.summary}`);
  const steps = nextSteps({
    file: path,
    chains: chains.map(({ chain }) => chain),
    name: known,
    columns: terminal.outColor ? terminal.columns : undefined,
    ...more,
  });
  return { code: exitCodes.clean, steps };
}
