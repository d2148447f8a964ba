import { quote } from "../../base/quote.js";
import type { ContractOptions } from "./read-options.js";
import { type WrongUsage, wrongOption } from "./wrong-usage.js";

/** An ABI of a configuration to be made. */
export interface NamedAbi {
  /** Its key under `abis`. */
  readonly name: string;
  /** The file the user gave. */
  readonly path: string;
  /** Stem of the file it is to be written to, safe on every file system and no other ABI's. */
  readonly fileStem: string;
  /** The contracts that use it, by number; one at least. */
  readonly contracts: readonly number[];
}

const longestName = 80;
/** Windows keeps these names for devices. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** Names the ABIs of contracts: as the user says, else after their files. Contracts that agree share one. */
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
        `${quote(name ?? "")} would name two ABIs, ${quote(known.path)} and ${quote(path)}; give each contract a name`,
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

/** `artifacts/uniswap_v3.abi.json` is `uniswap_v3`. */
function fileName(path: string): string {
  const [name = ""] = path.split(/[/\\]/).slice(-1);
  return name.replace(/(?:\.(?:abi|json))+$/i, "");
}

/** `uniswap_v3` is `UniswapV3`; what has no letter or digit is `Contract`. */
function className(text: string): string {
  const joined = text
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
  const named = (/^[A-Za-z]/.test(joined) ? joined : `Contract${joined}`).slice(0, longestName);
  return device.test(named) ? `${named}Abi` : named;
}

/** The name, or with the first number behind it that makes it no other's, whatever the case of its letters. */
function free(name: string, taken: Set<string>): string {
  let found = name;
  for (let number = 2; taken.has(found.toLowerCase()); number++) found = `${name}${number}`;
  taken.add(found.toLowerCase());
  return found;
}
