import { posix } from "node:path";
import type { Abi } from "../abi/abi.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { Report } from "../diagnostics/report.js";
import type { Host } from "../host.js";
import { loadAbis } from "../load/load-abis.js";
import type { LoadedAbi } from "../load/loaded-project.js";
import { parseJsonSource } from "../parse/parse-json-source.js";
import type { Location } from "../source/source.js";
import { parseAbi } from "../validate/parse-abi.js";
import { abiPath, configFiles, configPath, type KeptAbi } from "./config-files.js";
import { configHome, pointerPath } from "./config-home.js";
import { type NamedAbi, nameAbis } from "./name-abis.js";
import { type OptionSource, optionSource } from "./option-source.js";
import { type ConfigOptions, readOptions } from "./read-options.js";
import { type EntrySelection, selectEntries } from "./select-entries.js";
import type { WrongUsage } from "./wrong-usage.js";

/** The ABIs in the named files, one per file. */
interface OptionAbis {
  readonly kind: "loaded";
  readonly abis: readonly LoadedAbi[];
}

/** Files without a usable ABI, and the diagnostics. */
interface FaultyAbis {
  readonly kind: "faulty";
  readonly diagnostics: readonly Diagnostic[];
}

/** A generated configuration with its ABIs. */
export interface MadeConfig {
  readonly kind: "made";
  /** Path of the configuration among the files. */
  readonly path: string;
  /** The configuration and its ABIs, by path relative to the project. */
  readonly files: ReadonlyMap<string, string>;
  /** A host that serves these files, to compile them. */
  readonly host: Host;
  /** Moves diagnostics about these files to the options and the user's own ABI files. */
  bringHome(diagnostics: readonly Diagnostic[]): readonly Diagnostic[];
}

/**
 * Generates a configuration from options, with its ABIs reduced to the selected entries. Does not validate addresses,
 * chains or start blocks; compiling does, as for any configuration.
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

/** Applies a selection to ABIs. Validates them only if there is something to select. */
function keepSelected(
  abis: readonly LoadedAbi[],
  selection: EntrySelection,
): { readonly kind: "kept"; readonly kept: readonly (readonly number[])[] } | WrongUsage | FaultyAbis {
  const whole = abis.map(({ entries }) => entries.map((_, index) => index));
  if (!selection.events && !selection.calls) return { kind: "kept", kept: whole };
  const report = new Report();
  const parsed = new Map<LoadedAbi, Abi>();
  for (const abi of abis) if (!parsed.has(abi)) parsed.set(abi, parseAbi(abi, report));
  if (report.failed) return { kind: "faulty", diagnostics: report.diagnostics };
  const judged = abis.flatMap((abi) => parsed.get(abi) ?? []);
  const unwanted = selectEntries(judged, selection);
  if (unwanted.kind !== "unwanted") return unwanted;
  return {
    kind: "kept",
    kept: whole.map((all, index) => all.filter((entry) => !unwanted.entries[index]?.has(entry))),
  };
}

/** A host that serves files from memory and hides the disk. The underlying host supplies packages and templates. */
function madeFilesHost(files: ReadonlyMap<string, string>, host: Host): Host {
  return {
    readFile: async (path) => {
      const text = files.get(path);
      return text === undefined
        ? { kind: "missing" }
        : { kind: "bytes", bytes: new TextEncoder().encode(text) };
    },
    resolveBeside: (file, relative) => posix.join(posix.dirname(file), relative),
    packageSources: (name) => host.packageSources(name),
    readTemplate: (name) => host.readTemplate(name),
  };
}

/**
 * Reads the ABI files of options, relative to the working directory, in every form that a configuration
 * accepts.
 */
async function readOptionAbis(
  abis: readonly NamedAbi[],
  options: OptionSource,
  host: Host,
): Promise<OptionAbis | FaultyAbis> {
  const paths = [...new Set(abis.map(({ path }) => path))];
  const report = new Report();
  // As declared in a configuration on standard input, with paths relative to the working directory.
  const declared = { abis: Object.fromEntries(paths.map((path, index) => [index, { path }])) };
  const config = parseJsonSource({ path: "<options>", text: JSON.stringify(declared) }, "json", report);
  const loaded = config ? await loadAbis(config, "-", host, report) : new Map<string, LoadedAbi>();
  const found = abis.flatMap(({ path }) => loaded.get(String(paths.indexOf(path))) ?? []);
  if (!report.failed) return { kind: "loaded", abis: found };
  const diagnostics = bringHome(report.diagnostics, (at) => {
    const path = paths[Number(/^\/abis\/(\d+)/.exec(at.pointer)?.[1])];
    const abi = abis.find((one) => one.path === path);
    return at.source === config?.at.source && abi ? options.place("abi", abi.contracts[0] ?? 0) : at;
  });
  return { kind: "faulty", diagnostics: diagnostics.map(seenFromHere) };
}

/**
 * Adapts hints about paths, which assume a configuration's folder: here, paths are relative to the working directory.
 */
function seenFromHere(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.code === "abi-missing" && diagnostic.hint?.startsWith("paths are relative to")
    ? { ...diagnostic, hint: "paths are relative to the current folder" }
    : diagnostic;
}

/**
 * Moves diagnostics about a generated text to the user's own input. Drops fixes, because there is no file to
 * apply them to, and merges the duplicates that arise when several contracts share an entry.
 */
function bringHome(
  diagnostics: readonly Diagnostic[],
  homeOf: (at: Location) => Location,
): readonly Diagnostic[] {
  const home = new Map<string, Diagnostic>();
  for (const { fix: _, at: made, related: others, ...finding } of diagnostics) {
    const at = made && homeOf(made);
    const related = others.map((other) => ({ ...other, at: homeOf(other.at) }));
    const identity = JSON.stringify([finding.code, finding.message, at?.source.path, at?.start, at?.end]);
    if (!home.has(identity)) home.set(identity, { ...finding, related, ...(at && { at }) });
  }
  return [...home.values()];
}
