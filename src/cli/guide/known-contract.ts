import type { ChosenContent } from "./choose-content.js";
import type { KnownAbi } from "./choose-contract.js";
import type { Guide } from "./guide-context.js";
import { abiPathBeside, pathFrom } from "./write-config.js";

/** A contract with everything that a configuration requires. */
export interface KnownContract {
  readonly name: string;
  readonly address: string;
  readonly startBlock: number;
  readonly abi: KnownAbi;
}

/** The ABI of a contract as a configuration names it. */
export interface PlacedAbi {
  /** Relative to the configuration. */
  readonly path: string;
  /** The file to write if the ABI is not in a file yet. Its path is relative to the working directory. */
  readonly beside: { readonly path: string; readonly text: string } | undefined;
}

/** Finds the place of an ABI: its file, or a new file beside the configuration if no file has exactly this ABI. */
export async function placeAbi(
  config: string,
  label: string,
  { abi }: KnownContract,
  content: ChosenContent,
  { host, terminal }: Guide,
): Promise<PlacedAbi> {
  if (content.isWhole && abi.path !== undefined)
    return { path: pathFrom(config, abi.path, terminal.cwd), beside: undefined };
  const text = `${JSON.stringify(content.entries, null, 2)}\n`;
  const path = await abiPathBeside(config, label, text, host);
  return { path: pathFrom(config, path, terminal.cwd), beside: { path, text } };
}

/** Converts a contract's name to the key of its ABI, which allows fewer characters. */
export function abiLabel(name: string): string {
  const label = name.replace(/[^A-Za-z0-9_-]/g, "").slice(0, 80);
  return /[A-Za-z0-9]/.test(label) ? label : "Contract";
}
