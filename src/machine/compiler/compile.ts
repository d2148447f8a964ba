import { reportFailure } from "../../base/failures.js";
import { inBackground } from "../../base/turns/guarded.js";
import type { Asc } from "../../compiler/asc/asc.js";
import type { CacheStore } from "../../compiler/cache/cache-store.js";
import { cachedAsc } from "../../compiler/cache/cached-asc.js";
import {
  type CompileRequest,
  keepCompilation,
  recallCompilation,
} from "../../compiler/cache/compilation-cache.js";
import { recordHost } from "../../compiler/cache/recorded-host.js";
import type { Compilation, CompileOptions, WasmOptions } from "../../compiler/compilation.js";
import type { Host } from "../../compiler/host.js";
import type { Description, Tools } from "../../compiler/pipeline.js";
import { typescriptFile } from "../../compiler/syntax/typescript-file.js";
import { type KeepCode, loadWithCode } from "../script.js";
import { startAsc } from "./asc.js";

export interface BuildOptions extends WasmOptions {
  /** A running compiler, or a function that starts one when needed. By default, one is started and ended. */
  readonly asc?: Asc | (() => Asc) | undefined;
  /** The compilation cache: a compilation of the same files and options is not repeated. */
  readonly cache?: CacheStore | undefined;
}

/**
 * Compiles a configuration to the sources of a subgraph, in memory. Expressions are parsed and their
 * references resolved; `check` and `build` also type-check them.
 * @param configPath path for the host; `-` is standard input
 */
export async function compile(
  configPath: string,
  host: Host,
  options: CompileOptions = {},
): Promise<Compilation> {
  const pipeline = await import("../../compiler/pipeline.js");
  return pipeline.compile(configPath, host, { parser: loadParser }, options);
}

/** @param configPath path for the host; `-` is standard input */
export async function describe(configPath: string, host: Host): Promise<Description> {
  const pipeline = await import("../../compiler/pipeline.js");
  return pipeline.describe(configPath, host, { parser: loadParser });
}

/** Compiles a configuration and type-checks its expressions, without emitting WASM. Does not write files. */
export function check(configPath: string, host: Host, options: BuildOptions = {}): Promise<Compilation> {
  return recallOrCompile("check", configPath, host, options);
}

/** Compiles a configuration all the way to WASM. Does not write files. */
export function build(configPath: string, host: Host, options: BuildOptions = {}): Promise<Compilation> {
  return recallOrCompile("build", configPath, host, options);
}

/** On a cache hit neither the pipeline nor the compiler is loaded. */
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
  // The compiler loads in its worker thread while the main thread loads the pipeline.
  const asc = given === undefined ? startFor(host) : typeof given === "function" ? given() : given;
  try {
    const pipeline = await import("../../compiler/pipeline.js");
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
  return import("../../compiler/syntax/parse-expression.js");
}

/**
 * Starts a compiler that prepares itself until the first program. Preparation only affects speed; the compilation
 * reports sources that cannot be read.
 */
function startFor(host: Host): Asc {
  const asc = startAsc();
  const preparing = host.packageSources("@graphprotocol/graph-ts").then(
    (sources) => asc.prepare(sources),
    () => undefined,
  );
  inBackground(preparing, reportFailure);
  return asc;
}
