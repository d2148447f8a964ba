import { visible } from "../../base/text/visible.js";
import { createNodeCache } from "../../machine/compiler/cache.js";
import type { CacheContent } from "../../machine/compiler/cache-entries.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { size } from "../terminal/size.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type CachePlace, findCache } from "./open-cache.js";

export interface CacheTask extends OutputArguments {
  readonly action: "show" | "clear";
}

type Output = OutputArguments["output"];

/** Shows the cache of the user, or empties it; returns the exit code. */
export async function manageCache({ action, output }: CacheTask, terminal: Terminal): Promise<number> {
  const place = findCache(terminal);
  if (!place)
    throw new UsageError("Cannot determine the cache folder. Set HOME, XDG_CACHE_HOME or GRAPHLOOM_CACHE.");
  const manage = action === "clear" ? clear : show;
  return manage(place, output, terminal).catch((error) => reportUnusable(error, place.folder, terminal));
}

/** Reports that the system refuses to read or empty the folder; returns the exit code. */
function reportUnusable(error: unknown, folder: string, terminal: Terminal): number {
  if (!(error instanceof Error && "code" in error)) throw error;
  terminal.err(
    `Cannot use the cache in ${visible(folder)} (${error.code}). Check the permissions of the folder.\n`,
  );
  return exitCodes.diagnostics;
}

async function show(place: CachePlace, output: Output, terminal: Terminal): Promise<number> {
  const { folder, limit, complaint } = place;
  if (complaint !== undefined) terminal.err(`${visible(complaint)}\n`);
  const { entries, bytes } = await createNodeCache(place).measure();
  if (output === "json") terminal.out(`${JSON.stringify({ folder, entries, bytes, limit }, null, 2)}\n`);
  else
    terminal.out(
      `folder   ${visible(folder)}\nentries  ${entries}\nsize     ${size(bytes)} of ${size(limit)}\n`,
    );
  return exitCodes.clean;
}

async function clear(place: CachePlace, output: Output, terminal: Terminal): Promise<number> {
  const { folder } = place;
  const removed = await createNodeCache(place).clear();
  if (output === "json") terminal.out(`${JSON.stringify({ folder, removed }, null, 2)}\n`);
  else terminal.out(`${removalOf(removed)} from ${visible(folder)}\n`);
  return exitCodes.clean;
}

function removalOf({ entries, bytes }: CacheContent): string {
  if (entries === 0) return "Nothing to remove";
  return `Removed ${entries === 1 ? "1 entry" : `${entries} entries`} (${size(bytes)})`;
}
