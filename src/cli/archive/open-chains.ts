import { NoLocksError } from "../../base/lock-file.js";
import { visible } from "../../base/text/visible.js";
import type { ArchiveFiles } from "../../datasets/archive/archive-files.js";
import { type KeptChain, keptChains } from "../../datasets/archive/kept-chains.js";
import { openArchiveFiles } from "../../machine/files/archive-files.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { givenArchive } from "../terminal/given-archive.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Arguments of every command about an archive. */
export interface ArchiveArguments {
  readonly archive?: string | undefined;
  /** The name of a network, or the id of a chain. */
  readonly chain?: string | undefined;
}

/** The archive that a command is about. */
export interface OpenChains {
  /** Absolute. */
  readonly folder: string;
  readonly files: ArchiveFiles;
  readonly chains: readonly KeptChain[];
}

/**
 * Carries out a command on its chains; returns the exit code. Reports errors of the system.
 * @throws UsageError when no archive is named, or the archive does not have the chain
 */
export async function onChains(
  { archive, chain }: ArchiveArguments,
  terminal: Terminal,
  carryOut: (chains: OpenChains) => Promise<number>,
): Promise<number> {
  const folder = archive === "" ? undefined : givenArchive(archive, terminal);
  if (folder === undefined)
    throw new UsageError("No archive named. Pass --archive <folder>, or set GRAPHLOOM_ARCHIVE.");
  try {
    const files = openArchiveFiles(folder);
    const all = await keptChains(files);
    if (!all) {
      terminal.err(
        `There is no archive in ${visible(folder)}. To begin one, pass the folder to a run: graphloom run --archive <folder>\n`,
      );
      return exitCodes.diagnostics;
    }
    return await carryOut({ folder, files, chains: chosen(all, chain) });
  } catch (error) {
    if (error instanceof NoLocksError) {
      terminal.err(`Cannot change the archive in ${visible(folder)}: ${visible(error.message)}\n`);
      return exitCodes.diagnostics;
    }
    if (!(error instanceof Error && "code" in error && "syscall" in error)) throw error;
    terminal.err(
      `Cannot use the archive in ${visible(folder)} (${String(error.code)}). Check the folder, its permissions and its disk.\n`,
    );
    return exitCodes.diagnostics;
  }
}

/** The title of a chain: `mainnet`, or `mainnet, ethereum`, or `chain 1` when no network's name is known. */
export function titleOf({ chainId, networks }: KeptChain): string {
  return networks.length === 0 ? `chain ${chainId}` : networks.join(", ");
}

function chosen(chains: readonly KeptChain[], name: string | undefined): readonly KeptChain[] {
  if (name === undefined) return chains;
  const found = chains.filter(
    ({ networks, chainId, folder }) => networks.includes(name) || chainId === name || folder === name,
  );
  if (found.length > 0) return found;
  const known = chains.map((chain) => `${titleOf(chain)} (${chain.folder})`);
  const others = known.length === 0 ? "It has no chains." : `It has: ${known.join("; ")}.`;
  throw new UsageError(`The archive has no chain "${name}". ${others}`);
}
