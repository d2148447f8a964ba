import { resolve } from "node:path";
import { visible } from "../../base/visible.js";
import { compile } from "../../node/compile.js";
import { createNodeHost } from "../../node/host.js";
import { noteReads } from "../../node/noted-host.js";
import { writeOwnFile } from "../../node/write-own-file.js";
import { drawMap } from "../../subgraph/map/draw-map.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { ReportArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import { mapOfModel } from "./model-map.js";

/** Arguments of `map`. */
export interface MapArguments extends ReportArguments {
  readonly config: string;
  /** The file to write to. */
  readonly output?: string | undefined;
}

/** @throws UsageError for a file whose name implies a different format */
function checkFormat(output: string | undefined): void {
  const ending = /[^/\\]\.([^./\\]+)$/.exec(output ?? "")?.[1] ?? "svg";
  if (ending.toLowerCase() !== "svg")
    throw new UsageError(
      `--output: a map is an SVG document, so the file name must end in .svg, not .${ending}: for example map.svg. Browsers show SVG, and most image editors convert it.`,
    );
}

/**
 * Draws the map of a configuration; returns the exit code.
 * @throws UsageError for a file whose name implies a different format
 */
export async function drawConfig(args: MapArguments, terminal: Terminal): Promise<number> {
  const { cwd, stdin } = terminal;
  checkFormat(args.output);
  const host = noteReads(createNodeHost({ cwd, ...(stdin && { stdin }) }), cwd);
  const { diagnostics, model } = await compile(args.config, host);
  reportDiagnostics(diagnostics, args, terminal, args.config === "-" ? undefined : args.config);
  if (!model) return exitCodes.diagnostics;
  const drawing = drawMap(mapOfModel(model));
  if (args.output === undefined) {
    terminal.out(drawing);
    return exitCodes.clean;
  }
  const failure = await writeOwnFile(resolve(cwd, args.output), drawing, "<svg");
  if (failure === undefined) return exitCodes.clean;
  terminal.err(`${visible(args.output)} cannot be written: ${visible(failure)}\n`);
  return exitCodes.diagnostics;
}
