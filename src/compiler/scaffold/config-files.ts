import type { LoadedAbi } from "../load/loaded-project.js";
import type { NamedAbi } from "./name-abis.js";
import type { ContractOptions } from "./read-options.js";

/** An ABI and what is kept of it. */
export interface KeptAbi extends NamedAbi {
  readonly loaded: LoadedAbi;
  /** Positions of the entries that are kept, in their order. */
  readonly kept: readonly number[];
}

const folder = "config";

/** Where the configuration is put. */
export const configPath = `${folder}/subgraph.json`;

/**
 * The files of a configuration: itself and its ABIs.
 * @param name `<name>/<version>`
 * @param withCalls whether call handlers are on
 * @returns by path relative to the project
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

/** Digits that a number would not keep, so that what is said about them would be about another one. */
const manyDigits = /^[1-9]\d{15,}$/;

/** The number a text is in JSON, else the text, which is then found to be none. */
function numberOf(text: string): number | string {
  const isNumber = /^-?\d+(?:\.\d+)?(?:e\+?\d+)?$/i.test(text) && Number.isFinite(Number(text));
  return isNumber && !manyDigits.test(text) ? Number(text) : text;
}

/** Writes blocks of many digits as the numbers they are, digit by digit. */
function withWholeBlocks(config: string): string {
  return config.replace(/("startBlock": )"(\d{16,})"/g, "$1$2");
}

/** Where an ABI is put. */
export function abiPath({ fileStem }: NamedAbi): string {
  return `${folder}/abis/${fileStem}.json`;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
