import { visible } from "../../base/text/visible.js";
import type { World } from "../../base/world.js";
import { askCreation, askExplorer, type Explorer } from "../../discovery/ask-explorer.js";
import type { ContractAbi } from "../../discovery/read-abi.js";
import { isWebAddress, parseAddress } from "../../web/http/address.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** An explorer's answer about a contract. */
export interface Told {
  readonly abi: ContractAbi;
  /** The name of the contract that the ABI belongs to. */
  readonly name: string | undefined;
}

/**
 * The explorer from the options or the environment: `--explorer-url` or `GRAPHLOOM_EXPLORER_URL`. The key is in
 * `GRAPHLOOM_EXPLORER_KEY`. It is not an option because other users of the machine can see options.
 * @throws UsageError for a variable that is not a web address
 */
export function explorerOf(
  given: string | undefined,
  chainId: string | undefined,
  { env = {} }: Pick<Terminal, "env">,
): Explorer | undefined {
  const url = given ?? env.GRAPHLOOM_EXPLORER_URL;
  if (!url) return undefined;
  if (!isWebAddress(url)) throw new UsageError("GRAPHLOOM_EXPLORER_URL must start with http:// or https://");
  return { url, key: env.GRAPHLOOM_EXPLORER_KEY?.trim() || undefined, chainId };
}

/**
 * Asks an explorer for the ABI of a contract; for a proxy, for the ABI of its implementation.
 * @param implementation if known
 * @returns `undefined` after reporting why there is none
 */
export async function askForAbi(
  explorer: Explorer,
  address: string,
  implementation: string | undefined,
  world: World,
  terminal: Terminal,
): Promise<Told | undefined> {
  const origin = parseAddress(explorer.url)?.origin ?? "the explorer";
  terminal.err(`Fetching the ABI from ${visible(origin)}.\n`);
  const first = await askExplorer(explorer, implementation ?? address, world);
  const told =
    first.kind === "contract" && implementation === undefined && first.implementation !== undefined
      ? await askExplorer(explorer, first.implementation, world)
      : first;
  if (told.kind === "none") {
    terminal.err(`Could not get the ABI from the explorer: ${visible(told.why)}\n`);
    return undefined;
  }
  if (told !== first && first.kind === "contract")
    terminal.err(`It is a proxy that runs the code of ${first.implementation}.\n`);
  return { abi: told.abi, name: told.name };
}

/** The block of a contract's creation; `undefined` if the explorer does not know it. */
export async function askForCreation(
  explorer: Explorer,
  address: string,
  world: World,
  terminal: Terminal,
): Promise<number | undefined> {
  const told = await askCreation(explorer, address, world);
  if (told.kind === "found") {
    terminal.err(`According to the explorer, it was created in block ${told.block}.\n`);
    return told.block;
  }
  terminal.err(`Could not get the block of its creation from the explorer: ${visible(told.why)}\n`);
  return undefined;
}
