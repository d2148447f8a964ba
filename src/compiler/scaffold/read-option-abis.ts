import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { Report } from "../diagnostics/report.js";
import type { Host } from "../host.js";
import { loadAbis } from "../load/load-abis.js";
import type { LoadedAbi } from "../load/loaded-project.js";
import { parseJsonSource } from "../parse/parse-json-source.js";
import { bringHome } from "./bring-home.js";
import type { NamedAbi } from "./name-abis.js";
import type { OptionSource } from "./option-source.js";

/** The ABIs in the named files, one for each. */
export interface OptionAbis {
  readonly kind: "loaded";
  readonly abis: readonly LoadedAbi[];
}

/** Files without a usable ABI, and the diagnostics. */
export interface FaultyAbis {
  readonly kind: "faulty";
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the ABI files of options, relative to the working directory, in every form that a configuration
 * accepts.
 */
export async function readOptionAbis(
  abis: readonly NamedAbi[],
  options: OptionSource,
  host: Host,
): Promise<OptionAbis | FaultyAbis> {
  const paths = [...new Set(abis.map(({ path }) => path))];
  const report = new Report();
  // Declared as in a configuration on standard input, whose paths are relative to the working directory.
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
 * Adapts hints about paths, which assume a configuration's folder: here paths are relative to the working
 * directory.
 */
function seenFromHere(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.code === "abi-missing" && diagnostic.hint?.startsWith("paths are relative to")
    ? { ...diagnostic, hint: "paths are relative to the current folder" }
    : diagnostic;
}
