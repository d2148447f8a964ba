import type { Asc } from "../../compiler/asc/asc.js";
import { cacheKey, digest } from "../../compiler/cache/cache-key.js";
import type { CacheStore } from "../../compiler/cache/cache-store.js";
import { cachedAsc } from "../../compiler/cache/cached-asc.js";
import type { Host } from "../../compiler/host.js";
import type { ProjectBuild, ProjectOptions } from "../../compiler/project/build-project.js";
import { startAscPool } from "./asc-pool.js";

export interface BuildProjectOptions extends ProjectOptions {
  /**
   * A running compiler, or a function that starts one. By default, compilers are started when needed and then ended.
   */
  readonly asc?: Asc | (() => Asc) | undefined;
  /** The compilation cache: unchanged mappings are not compiled again. */
  readonly cache?: CacheStore | undefined;
}

/**
 * Builds a hand-written subgraph: its manifest, schema, ABIs and mappings. Does not write files.
 * @param manifestPath path of the manifest for the host
 */
export async function buildProject(
  manifestPath: string,
  host: Host,
  { asc, cache, ...options }: BuildProjectOptions = {},
): Promise<ProjectBuild> {
  let started: Asc | undefined;
  const running = (): Asc => {
    if (asc !== undefined) return typeof asc === "function" ? asc() : asc;
    started ??= startAscPool();
    return started;
  };
  const lazy: Asc = {
    compile: (input, limits) => running().compile(input, limits),
    prepare: (graphTs) => (started ?? (typeof asc === "object" ? asc : undefined))?.prepare(graphTs),
    close: () => Promise.resolve(),
  };
  const mark = cache && asc === undefined ? await markOf(manifestPath, host, options) : undefined;
  const isBuiltBefore = mark !== undefined && (await cache?.get(mark)) !== undefined;
  // The compiler loads in its thread while this one loads the rest and reads the project. After a build, the cache
  // has most or all mappings.
  if (asc === undefined && options.until !== "types" && !isBuiltBefore) running();
  try {
    const { buildProject: build } = await import("../../compiler/project/build-project.js");
    const built = await build(manifestPath, host, { asc: cache ? cachedAsc(lazy, cache) : lazy }, options);
    if (built.ok && mark !== undefined && !isBuiltBefore) await cache?.put(mark, new Uint8Array());
    return built;
  } finally {
    await started?.close();
  }
}

/** In bytes. */
const largestManifest = 1024 * 1024;

/** The cache key that records that a manifest was built; `undefined` if nothing will be compiled. */
async function markOf(
  manifestPath: string,
  host: Host,
  { until, optimize }: ProjectOptions,
): Promise<string | undefined> {
  if (until === "types") return undefined;
  const read = await host.readFile(manifestPath, largestManifest);
  if (read.kind !== "bytes") return undefined;
  return cacheKey("project", { manifest: digest(read.bytes), until, optimize });
}
