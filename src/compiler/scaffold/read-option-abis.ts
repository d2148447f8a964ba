import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { Report } from "../diagnostics/report.js";
import type { Host } from "../host.js";
import { loadAbis } from "../load/load-abis.js";
import type { LoadedAbi } from "../load/loaded-project.js";
import { parseJsonSource } from "../parse/parse-json-source.js";
import { bringHome } from "./bring-home.js";
import type { NamedAbi } from "./name-abis.js";
import type { OptionSource } from "./option-source.js";

/** ABIs as their files hold them, one for each that was named. */
export interface OptionAbis {
  readonly kind: "loaded";
  readonly abis: readonly LoadedAbi[];
}

/** Files of which no configuration can be made, and why. */
export interface FaultyAbis {
  readonly kind: "faulty";
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the ABI files that options name, as seen from the working directory, in all the forms a configuration may name. */
export async function readOptionAbis(
  abis: readonly NamedAbi[],
  options: OptionSource,
  host: Host,
): Promise<OptionAbis | FaultyAbis> {
  const paths = [...new Set(abis.map(({ path }) => path))];
  const report = new Report();
  // What a configuration without a file of its own would declare; standard input is seen from the working directory.
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

/** Beside a configuration, paths are seen from its folder. */
function seenFromHere(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.code === "abi-missing" && diagnostic.hint?.startsWith("write the path as seen from")
    ? { ...diagnostic, hint: "write the path as seen from the folder you are in" }
    : diagnostic;
}
