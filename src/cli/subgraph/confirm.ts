import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/**
 * Asks for confirmation before something is deleted, unless it is forced.
 * @param what the question: `Delete pools/1.0.0 and all its data?`
 * @returns whether to do it
 * @throws UsageError without a terminal
 */
export async function confirm(what: string, force: boolean, terminal: Terminal): Promise<boolean> {
  if (force) return true;
  if (!terminal.ask)
    throw new UsageError(`Not running in a terminal, so I cannot ask: "${what}" To answer yes, add --force.`);
  const answer = await terminal.ask(`${what} [y/N] `);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

/**
 * Asks for confirmation on a terminal, unless it is forced. Scripts are not asked, since the change can be undone.
 * @returns whether to do it
 */
export async function confirmAtTerminal(what: string, force: boolean, terminal: Terminal): Promise<boolean> {
  return confirm(what, force || !terminal.ask, terminal);
}

/** Reports that the user declined; returns the exit code. */
export function declined(terminal: Terminal): number {
  terminal.err("Nothing was changed.\n");
  return exitCodes.diagnostics;
}
