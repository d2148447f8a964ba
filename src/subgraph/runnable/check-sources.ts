import { BundleError } from "../bundle-error.js";
import { type EntitySchema, SchemaError } from "../schema/entity-schema.js";
import type { BuiltSubgraph, SubgraphMapping } from "./built-subgraph.js";
import { CompositionError } from "./composition-error.js";
import type { ReadBuild } from "./read-build.js";
import { firstComposedVersion } from "./read-subgraph-source.js";
import { isAtLeast } from "./versions.js";

/** Finds the build of a deployment that may be read; `undefined` if there is none. */
export type FindBuild = (deployment: string) => Promise<ReadBuild | undefined>;

/**
 * Checks by graph-node's rules, and in its words, whether a build can have the subgraphs that it names as sources.
 * graph-node does not notice that a source is on another network, and then waits forever.
 * @throws CompositionError also for a source that is not found; errors of `find`
 */
export async function checkSourceSubgraphs({ subgraph: own }: ReadBuild, find: FindBuild): Promise<void> {
  for (const [index, { subgraph: mapping }] of own.dataSources.entries()) {
    if (!mapping) continue;
    const why = await faultOfSource(mapping, own, find);
    if (why !== undefined) {
      throw new CompositionError(`failed to resolve data source at index ${index}: ${why}`);
    }
  }
}

async function faultOfSource(
  { deployment, handlers }: SubgraphMapping,
  own: BuiltSubgraph,
  find: FindBuild,
): Promise<string | undefined> {
  const found = await find(deployment);
  if (!found) {
    return `Failed to resolve source subgraph [${deployment}] manifest: no version in this project shows that deployment. Deploy it first`;
  }
  const source = runnableOf(found);
  if (typeof source === "string") {
    return `Failed to resolve source subgraph [${deployment}] manifest: ${source}`;
  }
  const { specVersion, network, entities } = source;
  if (!isAtLeast(specVersion, firstComposedVersion)) {
    return `Source subgraph [${deployment}] manifest spec version ${specVersion} is not supported, minimum supported version is ${firstComposedVersion}`;
  }
  const old = await faultOfGrafts([deployment], source, find);
  if (old !== undefined) return old;
  const nested = source.dataSources.filter(({ subgraph }) => subgraph).map(({ name }) => name);
  if (nested.length > 0) return `Nested subgraph data sources [${nested.join(", ")}] are not supported.`;
  if (network !== own.network) {
    return `Source subgraph [${deployment}] is on ${network}, not on ${own.network}`;
  }
  return handlers.map(({ entity }) => faultOfEntity(entity, entities)).find((fault) => fault !== undefined);
}

/** @returns why it cannot run, if it cannot */
function runnableOf(build: ReadBuild): BuiltSubgraph | string {
  try {
    return build.subgraph;
  } catch (error) {
    if (error instanceof BundleError || error instanceof SchemaError) return error.message;
    throw error;
  }
}

/** A base that no longer exists cannot be checked. Its entities were copied long ago. */
async function faultOfGrafts(
  chain: readonly string[],
  { graft }: BuiltSubgraph,
  find: FindBuild,
): Promise<string | undefined> {
  const found = graft && (await find(graft.base));
  const base = found && runnableOf(found);
  if (!graft || !base || typeof base === "string") return undefined;
  const longer = [...chain, graft.base];
  if (isAtLeast(base.specVersion, firstComposedVersion)) return faultOfGrafts(longer, base, find);
  return `Subgraph with a spec version ${base.specVersion} is not supported for a subgraph source, minimum supported version is ${firstComposedVersion}. Graft chain: ${longer.join(" -> ")}`;
}

function faultOfEntity(
  name: string,
  { types, implementers, aggregations }: EntitySchema,
): string | undefined {
  const refused = (what: string): string =>
    `Entity ${name} is ${what} and cannot be used as a mapping entity`;
  if (implementers.has(name)) return refused("an interface");
  if (aggregations.some((aggregation) => aggregation.name === name)) return refused("an aggregation");
  const type = types.get(name);
  if (!type) return `Entity ${name} not found in source manifest`;
  return type.immutable ? undefined : refused("not immutable");
}
