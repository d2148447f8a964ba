import { visible } from "../../base/visible.js";
import { compile } from "../../node/compile.js";
import { createNodeHost } from "../../node/host.js";
import { noteReads } from "../../node/noted-host.js";
import { PackageMissingError } from "../../node/optional-package.js";
import { PngError } from "../../node/resvg/draw-png.js";
import { MapTooLargeError } from "../../subgraph/map/mermaid-map.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { type DrawnMap, drawnMap, type MapLook } from "./drawn-map.js";
import { MapFileError, staleFiles, writeMap } from "./map-files.js";
import { type MapTarget, mapTarget, type TargetOptions } from "./map-format.js";
import { mapOfModel } from "./model-map.js";

/** Arguments of `map`. */
export interface MapArguments extends TargetOptions, Pick<MapLook, "theme"> {
  readonly config: string;
  readonly fields: boolean;
  readonly color: boolean;
}

/**
 * Draws the map of a configuration; returns the exit code.
 * @throws UsageError for options that contradict each other
 */
export async function drawConfig(args: MapArguments, terminal: Terminal): Promise<number> {
  const { cwd, stdin } = terminal;
  const target = mapTarget(args);
  const host = noteReads(createNodeHost({ cwd, ...(stdin && { stdin }) }), cwd);
  const { diagnostics, model } = await compile(args.config, host);
  const report = { format: "text" as const, color: args.color };
  reportDiagnostics(diagnostics, report, terminal, args.config === "-" ? undefined : args.config);
  if (!model) return exitCodes.diagnostics;
  try {
    const map = mapOfModel(model, args.fields);
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
