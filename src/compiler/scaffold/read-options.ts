import { splitList } from "./split-list.js";
import { type WrongUsage, wrongOption } from "./wrong-usage.js";

/** The options for a configuration as written: comma-separated lists. */
export interface ConfigOptions {
  /** `<name>` or `<name>/<version>`. */
  readonly name?: string | undefined;
  /** Paths of ABI files. */
  readonly abi: string;
  readonly contract: string;
  /** graph-node network names. */
  readonly network: string;
  readonly startBlock?: string | undefined;
  readonly contractName?: string | undefined;
  /** Names or signatures; all events by default. */
  readonly contractEvents?: string | undefined;
  /** Names or signatures of functions with call handlers. */
  readonly contractCalls?: string | undefined;
  /** Whether all state-changing functions get call handlers. */
  readonly callHandlers: boolean;
}

/** The options of one contract, as written. */
export interface ContractOptions {
  readonly address: string;
  readonly network: string;
  readonly abiPath: string;
  /** If absent, the chain is indexed from its start. */
  readonly startBlock: string | undefined;
  /** Absent if the name comes from the ABI's file. */
  readonly name: string | undefined;
}

export interface ReadOptions {
  readonly kind: "read";
  readonly contracts: readonly ContractOptions[];
  /** All given lists, by option. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/** Parses options. A list has one entry for all contracts, or one per contract. */
export function readOptions(options: ConfigOptions): ReadOptions | WrongUsage {
  const lists = new Map<string, readonly string[]>();
  for (const [option, text] of [
    ["abi", options.abi],
    ["contract", options.contract],
    ["contract-name", options.contractName],
    ["network", options.network],
    ["start-block", options.startBlock],
    ["contract-events", options.contractEvents],
    ["contract-calls", options.contractCalls],
  ] as const) {
    if (text === undefined) continue;
    const entries = splitList(text);
    if (entries.includes(""))
      return wrongOption(option, "an entry is empty; separate entries with a single comma");
    lists.set(option, entries);
  }
  const addresses = lists.get("contract") ?? [];
  for (const option of ["abi", "contract-name", "network", "start-block"]) {
    const count = lists.get(option)?.length ?? 1;
    if (count !== 1 && count !== addresses.length)
      return wrongOption(
        option,
        `${entries(count)}, but --contract has ${addresses.length}; give one, or one for each contract`,
      );
  }
  const entryOf = (option: string, index: number): string | undefined => {
    const own = lists.get(option);
    return own?.[own.length === 1 ? 0 : index];
  };
  const contracts = addresses.map((address, index) => ({
    address,
    network: entryOf("network", index) ?? "",
    abiPath: entryOf("abi", index) ?? "",
    startBlock: entryOf("start-block", index),
    name: entryOf("contract-name", index),
  }));
  return { kind: "read", contracts, lists };
}

function entries(count: number): string {
  return count === 1 ? "it has 1 entry" : `it has ${count} entries`;
}
