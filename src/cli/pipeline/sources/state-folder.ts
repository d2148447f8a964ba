import nodePath from "node:path";
import type { Terminal } from "../../terminal/terminal.js";
import { UsageError } from "../../terminal/usage/usage-error.js";

/**
 * The folder for the state of sinks, absolute: the given one, or `GRAPHLOOM_STATE`, or else `graphloom` in
 * the system's folder for states.
 * @param path how this system writes paths
 * @throws UsageError if there is none
 */
export function stateFolder(
  option: string | undefined,
  { env = {}, cwd }: Pick<Terminal, "env" | "cwd">,
  { isAbsolute, join, resolve }: nodePath.PlatformPath = nodePath,
): string {
  const { GRAPHLOOM_STATE, XDG_STATE_HOME, HOME, LOCALAPPDATA } = env;
  const given = option ?? (GRAPHLOOM_STATE || undefined);
  if (given !== undefined) return resolve(cwd, given);
  // The XDG specification says to ignore relative paths.
  if (XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME)) return join(XDG_STATE_HOME, "graphloom");
  if (HOME) return join(resolve(cwd, HOME), ".local", "state", "graphloom");
  if (LOCALAPPDATA) return join(resolve(cwd, LOCALAPPDATA), "graphloom", "state");
  throw new UsageError(
    "There is no folder for the state of the pipeline. Pass --state <folder>, or set GRAPHLOOM_STATE.",
  );
}
