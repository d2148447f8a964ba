import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Named } from "./find-named.js";
import { type LoadOptions, loadWord } from "./load-named.js";
import type { Loaded } from "./named-builds.js";

/**
 * Loads the subgraph that a word names, and prints why it cannot be loaded: a file is not a build, or a server does
 * not answer. Mistakes in compiled files are in the result.
 * @returns the exit code if it cannot be loaded
 * @throws UsageError if the word names no subgraph
 */
export async function loadOrSay(
  word: string,
  options: LoadOptions,
  terminal: Terminal,
): Promise<(Loaded & { readonly named: Named }) | number> {
  return orSay(terminal, () => loadWord(word, options, terminal));
}

/** Loads a subgraph, and prints why it cannot be loaded, like `loadOrSay`. */
export async function orSay<Result>(
  terminal: Terminal,
  load: () => Promise<Result>,
): Promise<Result | number> {
  try {
    return await load();
  } catch (error) {
    if (terminal.signal.aborted) return exitCodes.interrupted;
    const { explainFailure } = await import("../remote/run-remote.js");
    const failure = explainFailure(error);
    if (!failure) throw error;
    terminal.err(failure.text);
    return failure.code;
  }
}

/** The path of a configuration as the command line names it, for advice on fixing it; `undefined` for any other subgraph. */
export function configOf(named: Named): string | undefined {
  return named.kind === "configuration" && named.path !== "-" ? named.path : undefined;
}
