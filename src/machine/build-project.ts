import type { Asc } from "../compiler/asc/asc.js";
import type { CacheStore } from "../compiler/cache/cache-store.js";
import { cachedAsc } from "../compiler/cache/cached-asc.js";
import type { Host } from "../compiler/host.js";
import type { ProjectBuild, ProjectOptions } from "../compiler/project/build-project.js";
import { startAscPool } from "./asc-pool.js";

/** Options of building a project, and what it is built with. */
export interface BuildProjectOptions extends ProjectOptions {
  /** A running compiler, or a function that starts one. By default, some are started when needed, and ended. */
  readonly asc?: Asc | (() => Asc) | undefined;
  /** The compilation cache: a mapping whose files have not changed is not compiled again. */
  readonly cache?: CacheStore | undefined;
}

/**
 * Builds a subgraph that was written by hand: its manifest, schema, ABIs and mappings. Nothing is written.
 * @param manifestPath path of the manifest for the host
 */
export async function buildProject(
  manifestPath: string,
  host: Host,
  { asc, cache, ...options }: BuildProjectOptions = {},
): Promise<ProjectBuild> {
  const { buildProject: build } = await import("../compiler/project/build-project.js");
  let started: Asc | undefined;
  const running = (): Asc => {
    if (asc !== undefined) return typeof asc === "function" ? asc() : asc;
    started ??= startAscPool();
    return started;
  };
  const lazy: Asc = {
    compile: (input, limits) => running().compile(input, limits),
    prepare: (graphTs) => running().prepare(graphTs),
    close: () => Promise.resolve(),
  };
  try {
    return await build(manifestPath, host, { asc: cache ? cachedAsc(lazy, cache) : lazy }, options);
  } finally {
    await started?.close();
  }
}
