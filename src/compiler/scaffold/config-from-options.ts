import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Host } from "../host.js";
import type { Location } from "../source/source.js";
import { bringHome } from "./bring-home.js";
import { abiPath, configFiles, configPath, type KeptAbi } from "./config-files.js";
import { configHome, pointerPath } from "./config-home.js";
import { keepSelected } from "./keep-selected.js";
import { madeFilesHost } from "./made-files-host.js";
import { nameAbis } from "./name-abis.js";
import { optionSource } from "./option-source.js";
import { type FaultyAbis, readOptionAbis } from "./read-option-abis.js";
import { type ConfigOptions, readOptions } from "./read-options.js";
import type { EntrySelection } from "./select-entries.js";
import type { WrongUsage } from "./wrong-usage.js";

/** A generated configuration with its ABIs. */
export interface MadeConfig {
  readonly kind: "made";
  /** Path of the configuration among the files. */
  readonly path: string;
  /** The configuration and its ABIs, by path relative to the project. */
  readonly files: ReadonlyMap<string, string>;
  /** A host that serves these files, to compile them. */
  readonly host: Host;
  /** Moves diagnostics about these files to the options and to the user's own ABI files. */
  bringHome(diagnostics: readonly Diagnostic[]): readonly Diagnostic[];
}

/**
 * Generates a configuration from options, with its ABIs reduced to the selected entries. Does not validate
 * addresses, chains or start blocks: compiling does, as for any configuration.
 * @param host reads the ABI files relative to its working directory
 */
export async function configFromOptions(
  options: ConfigOptions,
  host: Host,
): Promise<MadeConfig | WrongUsage | FaultyAbis> {
  const read = readOptions(options);
  if (read.kind !== "read") return read;
  const named = nameAbis(read.contracts);
  if (named.kind !== "named") return named;
  const places = optionSource(read.lists);
  const found = await readOptionAbis(named.abis, places, host);
  if (found.kind !== "loaded") return found;
  const selection = { events: read.lists.get("contract-events"), calls: read.lists.get("contract-calls") };
  const selected = keepSelected(found.abis, selection);
  if (selected.kind !== "kept") return selected;
  const abis = named.abis.flatMap((abi, index): KeptAbi[] => {
    const [loaded, kept] = [found.abis[index], selected.kept[index]];
    return loaded && kept ? [{ ...abi, loaded, kept }] : [];
  });
  const withCalls = options.callHandlers || selection.calls !== undefined;
  const files = configFiles(options.name, read.contracts, abis, withCalls);
  const home = configHome(files.get(configPath) ?? "", abis, options.contractName !== undefined, places);
  const homeOf = (at: Location): Location => {
    const abi = abis.find((one) => abiPath(one) === at.source.path);
    return abi ? abiHome(at, abi) : at.source.path === configPath ? home(at) : at;
  };
  return {
    kind: "made",
    path: configPath,
    files,
    host: madeFilesHost(files, host),
    bringHome: (diagnostics) =>
      bringHome(diagnostics, homeOf).map((diagnostic) => advise(diagnostic, selection)),
  };
}

/** The same location in the user's own file. */
function abiHome(at: Location, { loaded, kept }: KeptAbi): Location {
  const [index, ...path] = pointerPath(at.pointer);
  return loaded.locateEntry(kept[Number(index)] ?? 0, path);
}

/** Changes the hint of a diagnostic to name options instead of settings. */
function advise(diagnostic: Diagnostic, { events, calls }: EntrySelection): Diagnostic {
  if (diagnostic.code === "duplicate-address") return { ...diagnostic, hint: "remove one of the two" };
  if (diagnostic.code !== "nothing-to-index") return diagnostic;
  const hasCalls = diagnostic.hint?.includes("enableCallHandlers");
  const ways = [
    ...(events ? ["select one of its events"] : []),
    ...(calls ? ["select one of its functions"] : []),
    hasCalls ? "pass --call-handlers to index its calls" : "remove the contract",
  ];
  return { ...diagnostic, hint: ways.join(", or ") };
}
