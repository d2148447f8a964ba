import { holderText } from "../../base/lock-holder.js";
import { visible } from "../../base/text/visible.js";
import { carryOutPrune, type PrunePlan, planPrune } from "../../datasets/archive/prune.js";
import { manifestOf } from "../../datasets/archive/segments/manifest.js";
import { lockArchive } from "../../machine/files/archive-files.js";
import { printJson } from "../remote/print-json.js";
import { confirm, declined } from "../subgraph/confirm.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { quietTerminal } from "../terminal/quiet-terminal.js";
import { size } from "../terminal/size.js";
import type { Terminal } from "../terminal/terminal.js";
import { largestBlock, type OutputArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type ArchiveArguments, type OpenChains, onChains, titleOf } from "./open-chains.js";
import { ReadDisplay } from "./read-display.js";

/** What to remove, and how. */
export interface PruneArguments extends ArchiveArguments, OutputArguments {
  /** Only what this source of history returned. */
  readonly source?: string | undefined;
  readonly before?: number | undefined;
  readonly damaged: boolean;
  readonly all: boolean;
  readonly dryRun: boolean;
  readonly force: boolean;
}

/** Removes unneeded data from an archive, and lists it; returns the exit code. */
export async function pruneArchive(args: PruneArguments, terminal: Terminal): Promise<number> {
  const { before, all, chain, dryRun } = args;
  if (all && chain === undefined)
    throw new UsageError(
      "--all requires --chain, and removes all of that chain. To remove the archive as a whole, delete its folder.",
    );
  if (all && (args.damaged || before !== undefined))
    throw new UsageError("--all removes all of a chain. Leave out --damaged and --before.");
  if (before !== undefined && !(Number.isInteger(before) && before >= 0 && before <= largestBlock))
    throw new UsageError(`--before must be a whole number, 0 to ${largestBlock}.`);
  return onChains(args, terminal, async (opened) => {
    const lock = dryRun ? undefined : lockArchive(opened.folder);
    if (lock?.kind === "held") {
      terminal.err(
        `The archive in ${visible(opened.folder)} is being pruned by ${holderText(lock.holder)}. Run this command again once that is done.\n`,
      );
      return exitCodes.diagnostics;
    }
    try {
      return await prune(opened, args, terminal);
    } finally {
      lock?.release();
    }
  });
}

async function prune(
  { folder, files, chains }: OpenChains,
  args: PruneArguments,
  terminal: Terminal,
): Promise<number> {
  const { all, dryRun, output } = args;
  const display = new ReadDisplay(output === "json" ? quietTerminal(terminal) : terminal, chains, () =>
    performance.now(),
  );
  const plans: PrunePlan[] = [];
  // Manifests are read again under the lock: another prune may have ended just now.
  for (const one of chains) {
    const manifest = await manifestOf(files, one.folder);
    const planning = planPrune(files, { ...one, manifest }, args, Date.now(), display.read);
    plans.push(await planning.finally(() => display.end()));
  }
  if (all && !dryRun && !(await confirm(question(plans), args.force, terminal))) return declined(terminal);
  if (!dryRun) {
    terminal.onWriting(true);
    for (const plan of plans) await carryOutPrune(files, plan);
    terminal.onWriting(false);
  }
  if (output === "json") printJson(asJson(folder, dryRun, plans), terminal);
  else for (const plan of plans) tell(plan, dryRun, terminal);
  if (output !== "json" && plans.length === 0) terminal.out("The archive is empty.\n");
  return exitCodes.clean;
}

function question(plans: readonly PrunePlan[]): string {
  // Local chains with the same id have separate folders.
  const names = plans.map(
    ({ chain, bytes }) =>
      `${titleOf(chain)} (chain ${chain.chainId}, folder ${chain.folder}, ${size(bytes)})`,
  );
  return `Remove all that the archive has of ${visible(names.join(" and of "))}?`;
}

function tell({ chain, files, segments, bytes }: PrunePlan, isDry: boolean, terminal: Terminal): void {
  for (const file of files)
    terminal.out(`${visible(`${chain.folder}/${file.path}`)}  ${size(file.bytes)}  ${file.why}\n`);
  const done = isDry ? "would remove" : "removed";
  const what =
    files.length === 0 && segments.length === 0
      ? "nothing to remove"
      : `${done} ${count(files.length, "file")} with ${count(segments.length, "segment")} (${size(bytes)})`;
  terminal.out(`${visible(titleOf(chain))}: ${what}\n`);
}

function asJson(folder: string, isDry: boolean, plans: readonly PrunePlan[]): unknown {
  return {
    folder,
    dry_run: isDry,
    bytes: plans.reduce((sum, { bytes }) => sum + bytes, 0),
    chains: plans.map(({ chain, segments, files, bytes }) => ({
      chain: chain.chainId,
      networks: chain.networks,
      segments: segments.length,
      bytes,
      removed: files.map(({ path, ...file }) => ({ file: `${chain.folder}/${path}`, ...file })),
    })),
  };
}
