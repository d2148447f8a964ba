import type { Compilation } from "../../../src/exports/index.js";
import type { BuiltSubgraph } from "../../../src/subgraph/runnable/built-subgraph.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { poolConfigs } from "../../support/pool/contracts.js";
import { buildConfig } from "../harness.js";

/** A subgraph of a pool's factory. */
export interface PoolSubgraph {
  readonly compiled: Compilation;
  readonly built: BuiltSubgraph;
}

/** Builds what indexes pools, by name. */
export async function poolSubgraphs(): Promise<ReadonlyMap<string, PoolSubgraph>> {
  const all = new Map<string, PoolSubgraph>();
  for (const [name, config] of Object.entries(poolConfigs)) {
    const compiled = await buildConfig(config);
    all.set(name, { compiled, built: runnableOf(compiled) });
  }
  return all;
}

/** What was compiled, as it is run. */
export function runnableOf({ files }: Pick<Compilation, "files">): BuiltSubgraph {
  const own = [...files].filter(([path]) => path.startsWith("build/"));
  const bare = new Map(own.map(([path, content]) => [path.slice("build/".length), content]));
  return readRunnable({ manifest: "subgraph.yaml", files: bare });
}
