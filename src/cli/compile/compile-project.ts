import type { Compilation, CompiledBuild, WasmOptions } from "../../compiler/compilation.js";
import type { Host } from "../../compiler/host.js";
import type { ModelOutline } from "../../compiler/model/model-outline.js";
import type { ProjectFiles } from "../../compiler/write/plan.js";
import { type BuildOptions, build, check } from "../../machine/compiler/compile.js";
import { createNodeHost } from "../../machine/files/host.js";
import { noteReads } from "../../machine/files/noted-host.js";
import { openCache } from "../cache/open-cache.js";
import type { Terminal } from "../terminal/terminal.js";
import type { CacheArguments, ReportArguments } from "../terminal/usage/options.js";
import { type ResultOutput, reportCompiled } from "./report-diagnostics.js";
import { summarize } from "./summary.js";
import { whileCompiling } from "./while-compiling.js";

/** A compiled configuration, ready to be written or compared. */
export interface CompiledProject {
  readonly model: ModelOutline;
  readonly files: ProjectFiles;
  readonly builds: readonly CompiledBuild[];
  /** Positions of the configuration's expressions in the files. */
  readonly origins: Compilation["origins"];
  /** Absolute paths of the files that were read. */
  readonly inputs: ReadonlySet<string>;
  /** A summary for people. */
  readonly summary: string;
}

/**
 * Compiles a configuration for a command and prints the diagnostics.
 * @param withWasm whether to build the WASM; expressions are type-checked either way
 * @returns `undefined` when it has errors
 */
export async function compileProject(
  config: string,
  withWasm: boolean,
  options: WasmOptions,
  args: ReportArguments & CacheArguments & Partial<ResultOutput>,
  terminal: Terminal,
): Promise<CompiledProject | undefined> {
  const host = noteReads(hostOf(terminal), terminal.cwd);
  const compiled = await compileConfig(config, withWasm, options, args, terminal, { host });
  const reporting = { ...args, output: args.output ?? "table" };
  const hasResults = compiled.model !== undefined;
  reportCompiled(compiled.diagnostics, hasResults, reporting, terminal, config === "-" ? undefined : config);
  return projectOf(compiled, host.inputs);
}

/**
 * The compiled project with a summary; `undefined` when there were errors.
 * @param inputs absolute paths of the files that were read
 */
export function projectOf(
  { model, files, builds, origins }: Compilation,
  inputs: ReadonlySet<string>,
): CompiledProject | undefined {
  if (!model) return undefined;
  const wasm = [...files].find(([path]) => path.endsWith(".wasm"))?.[1];
  return { model, files, builds, origins, inputs, summary: summarize(model, wasm?.length) };
}

/** The compiler and host of a compilation, if they are not the terminal's. */
export interface CompilePlace extends Pick<BuildOptions, "asc"> {
  /** Reads the configuration; by default the terminal's file system. */
  readonly host?: Host;
}

/** Compiles a configuration for a command without printing anything, through the user's compilation cache. */
export function compileConfig(
  configPath: string,
  withWasm: boolean,
  options: WasmOptions,
  args: CacheArguments,
  terminal: Terminal,
  { host = hostOf(terminal), asc = terminal.asc }: CompilePlace = {},
): Promise<Compilation> {
  const command = withWasm ? build : check;
  const compile = (): Promise<Compilation> =>
    command(configPath, host, { ...options, asc, cache: openCache(args, terminal) });
  return whileCompiling(configPath, compile, terminal);
}

function hostOf({ cwd, stdin, within }: Terminal): Host {
  return createNodeHost({ cwd, stdin, within });
}
