import type { LoadedAbi } from "../load/loaded-project.js";
import type { NamedAbi } from "./name-abis.js";
import type { ContractOptions } from "./read-options.js";

/** An ABI and its selected entries. */
export interface KeptAbi extends NamedAbi {
  readonly loaded: LoadedAbi;
  /** Indexes of the kept entries, in order. */
  readonly kept: readonly number[];
}

const folder = "config";

export const configPath = `${folder}/subgraph.json`;

/**
 * The files of a configuration: the configuration itself and its ABIs.
 * @param name `<name>/<version>`
 * @param withCalls whether to turn on call handlers
 * @returns the files, by path relative to the project
 */
export function configFiles(
  name: string | undefined,
  contracts: readonly ContractOptions[],
  abis: readonly KeptAbi[],
  withCalls: boolean,
): ReadonlyMap<string, string> {
  const instances = contracts.map(({ address, startBlock, network }, index) => ({
    abi: abis.find((abi) => abi.contracts.includes(index))?.name,
    address,
    startBlock: numberOf(startBlock ?? "0"),
    chain: network,
  }));
  const config = json({
    version: "1",
    ...(name !== undefined && { name }),
    abis: Object.fromEntries(abis.map((abi) => [abi.name, { path: `./abis/${abi.fileStem}.json` }])),
    ...(withCalls && { enableCallHandlers: true }),
    instances,
  });
  return new Map([
    [configPath, withWholeBlocks(config)],
    ...abis.map((abi) => [abiPath(abi), json(abi.kept.map((index) => abi.loaded.entries[index]))] as const),
  ]);
}

/** More digits than a number can hold; a diagnostic would show a different number. */
const manyDigits = /^[1-9]\d{15,}$/;

/** A text as a JSON number if it is one; otherwise the text itself, which validation then rejects. */
function numberOf(text: string): number | string {
  const isNumber = /^-?\d+(?:\.\d+)?(?:e\+?\d+)?$/i.test(text) && Number.isFinite(Number(text));
  return isNumber && !manyDigits.test(text) ? Number(text) : text;
}

/** Turns block numbers with many digits back into JSON numbers, unrounded. */
function withWholeBlocks(config: string): string {
  return config.replace(/("startBlock": )"(\d{16,})"/g, "$1$2");
}

export function abiPath({ fileStem }: NamedAbi): string {
  return `${folder}/abis/${fileStem}.json`;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
