import type { Asc } from "../compiler/asc/asc.js";
import type { CacheStore } from "../compiler/cache/cache-store.js";
import { cachedAsc } from "../compiler/cache/cached-asc.js";
import {
  type CompileRequest,
  keepCompilation,
  recallCompilation,
} from "../compiler/cache/compilation-cache.js";
import { recordHost } from "../compiler/cache/recorded-host.js";
import type { Compilation, CompileOptions, WasmOptions } from "../compiler/compilation.js";
import type { Host } from "../compiler/host.js";
import type { Tools } from "../compiler/pipeline.js";
import { typescriptFile } from "../compiler/syntax/typescript-file.js";
import { startAsc } from "./asc.js";
import { type KeepCode, loadWithCode } from "./script.js";

/** What a build may be given. */
export interface BuildOptions extends WasmOptions {
  /**
   * A compiler that is running already, or how to get one, which is asked for when there is something to compile.
   * Without it one is started and ended.
   */
  readonly asc?: Asc | (() => Asc) | undefined;
  /** Where compilations are kept and looked up: what depends on the same files and options is not compiled again. */
  readonly cache?: CacheStore | undefined;
}

/**
 * Compiles a configuration to the sources of a subgraph. Nothing is written.
 * Expressions are parsed and their references resolved; their types are checked by `check` and `build`.
 * @param configPath as the host reads it; `-` is standard input
 */
export async function compile(
  configPath: string,
  host: Host,
  options: CompileOptions = {},
): Promise<Compilation> {
  const pipeline = await import("../compiler/pipeline.js");
  return pipeline.compile(configPath, host, { parser: loadParser }, options);
}

/** Compiles a configuration and type-checks every expression in it, without making WASM. Nothing is written. */
export function check(configPath: string, host: Host, options: BuildOptions = {}): Promise<Compilation> {
  return recallOrCompile("check", configPath, host, options);
}

/** Compiles a configuration all the way to WASM. Nothing is written. */
export function build(configPath: string, host: Host, options: BuildOptions = {}): Promise<Compilation> {
  return recallOrCompile("build", configPath, host, options);
}

/** For what is in the cache neither the pipeline nor the compiler is loaded. */
async function recallOrCompile(
  command: CompileRequest["command"],
  configPath: string,
  host: Host,
  { asc, cache, ...options }: BuildOptions,
): Promise<Compilation> {
  const request: CompileRequest = { command, configPath, options };
  if (!cache) return compileNow(request, host, asc, undefined);
  const recorded = recordHost(host);
  const kept = await recallCompilation(request, recorded, cache);
  if (kept) return kept;
  const compiled = await compileNow(request, recorded, asc, cache);
  await keepCompilation(request, recorded, compiled, cache);
  return compiled;
}

async function compileNow(
  { command, configPath, options }: CompileRequest,
  host: Host,
  given: BuildOptions["asc"],
  cache: CacheStore | undefined,
): Promise<Compilation> {
  // The compiler loads in its own thread while this one loads the pipeline.
  const asc = given === undefined ? startFor(host) : typeof given === "function" ? given() : given;
  try {
    const pipeline = await import("../compiler/pipeline.js");
    let keepCode: KeepCode | undefined;
    const tools: Tools = {
      asc: cache ? cachedAsc(asc, cache) : asc,
      async parser() {
        keepCode = await loadWithCode(typescriptFile(), cache);
        return loadParser();
      },
    };
    const compiled = await pipeline[command](configPath, host, tools, options);
    await keepCode?.();
    return compiled;
  } finally {
    if (given === undefined) await asc.close();
  }
}

function loadParser(): ReturnType<Tools["parser"]> {
  return import("../compiler/syntax/parse-expression.js");
}

/**
 * A compiler that uses the time until the first program. What becomes of that shows in nothing but time; sources that
 * cannot be read are told when they are needed.
 */
function startFor(host: Host): Asc {
  const asc = startAsc();
  host.packageSources("@graphprotocol/graph-ts").then(
    (sources) => asc.prepare(sources),
    () => undefined,
  );
  return asc;
}
