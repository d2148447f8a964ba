import { startAsc } from "../../build/asc.js";
import type { SubgraphModel } from "../../model/subgraph.js";
import { createNodeHost } from "../../node-host.js";
import type { BuildOptions, Compilation } from "../../pipeline.js";
import type { ProjectFiles } from "../../write/plan.js";
import type { ReportArguments } from "../options.js";
import { reportDiagnostics } from "../report-outcome.js";
import { summarize } from "../summary.js";
import type { World } from "../world.js";

/** A compiled configuration, ready to be written or compared. */
export interface CompiledProject {
  readonly model: SubgraphModel;
  readonly files: ProjectFiles;
  /** What was generated, for people. */
  readonly summary: string;
}

/**
 * Compiles a configuration for a command and prints what there is to say about it.
 * @param withWasm whether to build the WASM; expressions are type-checked either way
 * @returns nothing when it has errors
 */
export async function compileProject(
  config: string,
  withWasm: boolean,
  options: BuildOptions,
  reporting: ReportArguments,
  world: World,
): Promise<CompiledProject | undefined> {
  const compiled = await compileConfig(config, withWasm, options, world);
  const path = config === "" ? "-" : config;
  reportDiagnostics(compiled.diagnostics, reporting, world, path === "-" ? undefined : path);
  return projectOf(compiled);
}

/** What was compiled, with a summary; nothing when there were errors. */
export function projectOf({ model, files }: Compilation): CompiledProject | undefined {
  if (!model) return undefined;
  const wasm = [...files].find(([path]) => path.endsWith(".wasm"))?.[1];
  return { model, files, summary: summarize(model, wasm?.length) };
}

/**
 * Compiles a configuration for a command and says nothing about it.
 * @param host where the configuration is; the world's own files unless said otherwise
 */
export async function compileConfig(
  config: string,
  withWasm: boolean,
  options: BuildOptions,
  world: World,
  host = createNodeHost({ cwd: world.cwd, ...(world.stdin && { stdin: world.stdin }) }),
): Promise<Compilation> {
  // The compiler loads in its own thread while this one loads the pipeline.
  const asc = startAsc();
  const { build, check } = await import("../../pipeline.js");
  // yargs hands over a positional "-" as an empty text.
  const path = config === "" ? "-" : config;
  return (withWasm ? build : check)(path, host, { ...options, asc }).finally(() => asc.close());
}
