import { quote } from "../../base/text/quote.js";
import type { ContractOptions } from "./read-options.js";
import { type WrongUsage, wrongOption } from "./wrong-usage.js";

/** An ABI of a configuration to be generated. */
export interface NamedAbi {
  /** Its key under `abis`. */
  readonly name: string;
  /** Path of the user's file. */
  readonly path: string;
  /** Stem of its file in the project, unique and safe on every file system. */
  readonly fileStem: string;
  /** Indexes of the contracts that use it; at least one. */
  readonly contracts: readonly number[];
}

const longestName = 80;
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * Names the ABIs of contracts by option, otherwise by file name. Contracts with the same ABI file and name share an
 * ABI.
 */
export function nameAbis(
  contracts: readonly ContractOptions[],
): { readonly kind: "named"; readonly abis: readonly NamedAbi[] } | WrongUsage {
  const groups = new Map<string, { name: string | undefined; path: string; contracts: number[] }>();
  for (const [index, { name, abiPath: path }] of contracts.entries()) {
    const key = name === undefined ? `path ${path}` : `name ${name}`;
    const known = groups.get(key);
    if (known && known.path !== path)
      return wrongOption(
        "contract-name",
        `${quote(name ?? "")} would name two ABIs, ${quote(known.path)} and ${quote(path)}; give each contract its own name`,
      );
    if (known) known.contracts.push(index);
    else groups.set(key, { name, path, contracts: [index] });
  }
  const taken = new Set<string>();
  const abis = [...groups.values()].map(({ name, path, contracts: own }) => {
    const fileStem = free(className(name ?? fileName(path)), taken);
    return { name: name ?? fileStem, path, fileStem, contracts: own };
  });
  return { kind: "named", abis };
}

/** The stem of a path's file name: `uniswap_v3` for `artifacts/uniswap_v3.abi.json`. */
function fileName(path: string): string {
  const [name = ""] = path.split(/[/\\]/).slice(-1);
  return name.replace(/(?:\.(?:abi|json))+$/i, "");
}

/** `uniswap_v3` becomes `UniswapV3`; a text without letters and digits becomes `Contract`. */
function className(text: string): string {
  const joined = text
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
  const named = (/^[A-Za-z]/.test(joined) ? joined : `Contract${joined}`).slice(0, longestName);
  return device.test(named) ? `${named}Abi` : named;
}

/** The name, with a number appended if needed to make it unique, ignoring case. */
function free(name: string, taken: Set<string>): string {
  let found = name;
  for (let number = 2; taken.has(found.toLowerCase()); number++) found = `${name}${number}`;
  taken.add(found.toLowerCase());
  return found;
}
