import { visible } from "../../base/text/visible.js";
import { compile } from "../../machine/compiler/compile.js";
import { PackageMissingError } from "../../machine/optional-package.js";
import { PngError } from "../../machine/resvg/draw-png.js";
import { MapTooLargeError } from "../../subgraph/map/mermaid-map.js";
import type { SubgraphMap } from "../../subgraph/map/subgraph-map.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { findNamed, type Named } from "../named/find-named.js";
import { hostOfTerminal, loadNamed } from "../named/load-named.js";
import { configOf, orSay } from "../named/load-or-say.js";
import { subgraphNameOf } from "../named/subgraph-name.js";
import type { WordArguments } from "../named/word-options.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { mapOfBuilds } from "./builds-map.js";
import { type DrawnMap, drawnMap, type MapLook } from "./drawn-map.js";
import { MapFileError, staleFiles, writeMap } from "./map-files.js";
import { type MapTarget, mapTarget, type TargetOptions } from "./map-format.js";
import { mapOfModel } from "./model-map.js";

export interface MapArguments extends TargetOptions, WordArguments, Pick<MapLook, "theme"> {
  /** The word that names the subgraph. */
  readonly subgraph: string;
  readonly ipfs?: string | undefined;
  readonly fields: boolean;
  readonly color: boolean;
  readonly verbose: boolean;
}

/**
 * Draws the map of the subgraph that a word names; returns the exit code.
 * @throws UsageError for options that contradict each other
 */
export async function drawWord(args: MapArguments, terminal: Terminal): Promise<number> {
  const target = mapTarget(args);
  const named = await findNamed(args.subgraph, hostOfTerminal(terminal));
  const map = await mapOf(named, args, terminal);
  if (typeof map === "number") return map;
  try {
    const drawn = await drawnMap(map, { format: target.format, theme: args.theme });
    return await deliver(drawn, target, args, terminal);
  } catch (error) {
    const isExpected = [MapFileError, MapTooLargeError, PackageMissingError, PngError].some(
      (kind) => error instanceof kind,
    );
    if (!isExpected) throw error;
    terminal.err(`${(error as Error).message}\n`);
    return exitCodes.diagnostics;
  }
}

/** The map of a subgraph, or the exit code after its mistakes were printed. */
async function mapOf(named: Named, args: MapArguments, terminal: Terminal): Promise<SubgraphMap | number> {
  const report = { format: "text" as const, color: args.color };
  if (named.kind === "configuration" && args.network === undefined) {
    const { diagnostics, model } = await compile(named.path, hostOfTerminal(terminal));
    reportDiagnostics(diagnostics, report, terminal, configOf(named));
    return model ? mapOfModel(model, args.fields) : exitCodes.diagnostics;
  }
  const shared = { cache: true, optimize: "fast", judges: false } as const;
  const options = { ...args, ...shared, gateway: args.ipfs, remote: args };
  const loaded = await orSay(terminal, () => loadNamed(named, options, terminal));
  if (typeof loaded === "number") return loaded;
  reportDiagnostics(loaded.diagnostics, report, terminal);
  if (!loaded.found) return exitCodes.diagnostics;
  return mapOfBuilds(loaded.found, subgraphNameOf(named, terminal.cwd) ?? "a subgraph", args.fields);
}

/** Writes a map, prints it, or compares it with its files; returns the exit code. */
async function deliver(
  drawn: DrawnMap,
  target: MapTarget,
  args: MapArguments,
  { cwd, out, err }: Terminal,
): Promise<number> {
  if (target.output === undefined && target.readme === undefined) {
    out(String(drawn.content));
    return exitCodes.clean;
  }
  if (!args.check) {
    await writeMap(drawn, target, cwd);
    return exitCodes.clean;
  }
  const stale = await staleFiles(drawn, target, cwd);
  for (const file of stale) err(`${visible(file)} is out of date. Run the same command without --check.\n`);
  return stale.length === 0 ? exitCodes.clean : exitCodes.diagnostics;
}
