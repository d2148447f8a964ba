import { UsageError } from "../terminal/usage-error.js";
import { exitCodes, type World } from "../terminal/world.js";

/**
 * Asks before something is deleted, unless it is forced.
 * @param what what would be done: `Delete pools/1.0.0 and all its data?`
 * @returns whether to do it
 * @throws UsageError without a terminal, where nobody can answer
 */
export async function confirm(what: string, force: boolean, world: World): Promise<boolean> {
  if (force) return true;
  if (!world.ask)
    throw new UsageError(`There is no terminal to ask at: "${what}" To answer yes, add --force.`);
  const answer = await world.ask(`${what} [y/N] `);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

/** Says that the user thought better of it; the exit code. */
export function declined(world: World): number {
  world.err("Nothing was changed.\n");
  return exitCodes.diagnostics;
}
