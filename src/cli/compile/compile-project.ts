import type { CacheStore } from "../../compiler/cache/cache-store.js";
import {
  type CompileRequest,
  keepCompilation,
  recallCompilation,
} from "../../compiler/cache/compilation-cache.js";
import type { CompiledConfig } from "../../compiler/cache/packed-compilation.js";
import { type RecordedHost, recordHost } from "../../compiler/cache/recorded-host.js";
import type { Host } from "../../compiler/host.js";
import type { ModelOutline } from "../../compiler/model/model-outline.js";
import type { BuildOptions } from "../../compiler/pipeline.js";
import { typescriptFile } from "../../compiler/syntax/typescript-file.js";
import type { ProjectFiles } from "../../compiler/write/plan.js";
import { type Asc, startAsc } from "../../node/asc.js";
import { createNodeHost } from "../../node/host.js";
import { type KeepCode, loadWithCode } from "../../node/script.js";
import { openCache } from "../cache/open-cache.js";
import type { CacheArguments, ReportArguments } from "../terminal/options.js";
import type { Terminal as World } from "../terminal/terminal.js";
import { reportDiagnostics } from "./report-diagnostics.js";
import { summarize } from "./summary.js";

/** A compiled configuration, ready to be written or compared. */
export interface CompiledProject {
  readonly model: ModelOutline;
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
  args: ReportArguments & CacheArguments,
  world: World,
): Promise<CompiledProject | undefined> {
  const compiled = await compileConfig(config, withWasm, options, args, world);
  const path = config === "" ? "-" : config;
  reportDiagnostics(compiled.diagnostics, args, world, path === "-" ? undefined : path);
  return projectOf(compiled);
}

/** What was compiled, with a summary; nothing when there were errors. */
export function projectOf({ model, files }: CompiledConfig): CompiledProject | undefined {
  if (!model) return undefined;
  const wasm = [...files].find(([path]) => path.endsWith(".wasm"))?.[1];
  return { model, files, summary: summarize(model, wasm?.length) };
}

/** What a compilation can use that is there already. */
export interface Surroundings {
  /** Where the configuration is; the world's own files unless said otherwise. */
  readonly host?: Host;
  /** A compiler that is running, asked for when there is something to compile; without it one is started and ended. */
  readonly asc?: () => Asc;
}

/**
 * Compiles a configuration for a command and says nothing about it. What was compiled before comes out of the cache,
 * for which nothing of the pipeline is loaded.
 */
export async function compileConfig(
  config: string,
  withWasm: boolean,
  options: BuildOptions,
  args: CacheArguments,
  world: World,
  { host = worldHost(world), asc }: Surroundings = {},
): Promise<CompiledConfig> {
  // yargs hands over a positional "-" as an empty text.
  const configPath = config === "" ? "-" : config;
  const request: CompileRequest = { command: withWasm ? "build" : "check", configPath, options };
  const cache = openCache(args, world);
  if (!cache) return compileNow(request, host, undefined, asc);
  const recorded = recordHost(host);
  return (
    (await recallCompilation(request, recorded, cache)) ??
    (await compileAndKeep(request, recorded, cache, asc))
  );
}

function worldHost({ cwd, stdin }: World): Host {
  return createNodeHost({ cwd, ...(stdin && { stdin }) });
}

async function compileAndKeep(
  request: CompileRequest,
  host: RecordedHost,
  cache: CacheStore,
  running: Surroundings["asc"],
): Promise<CompiledConfig> {
  const compiled = await compileNow(request, host, cache, running);
  await keepCompilation(request, host, compiled, cache);
  return compiled;
}

async function compileNow(
  { command, configPath, options }: CompileRequest,
  host: Host,
  cache: CacheStore | undefined,
  running: Surroundings["asc"],
): Promise<CompiledConfig> {
  // The compiler loads in its own thread while this one loads the pipeline.
  const asc = running?.() ?? startAsc();
  if (!running) prepare(asc, host);
  try {
    const pipeline = await import("../../compiler/pipeline.js");
    let keepCode: KeepCode | undefined;
    const loadParser = async (): Promise<void> => {
      keepCode = await loadWithCode(typescriptFile(), cache);
    };
    const compiled = await pipeline[command](configPath, host, { ...options, asc, cache, loadParser });
    await keepCode?.();
    return compiled;
  } finally {
    if (!running) await asc.close();
  }
}

/** What becomes of it shows in nothing but time; sources that cannot be read are told when they are needed. */
function prepare(asc: Asc, host: Host): void {
  host.packageSources("@graphprotocol/graph-ts").then(
    (sources) => asc.prepare(sources),
    () => undefined,
  );
}
