import { isCidV0 } from "../../web/ipfs/cid.js";
import type { ManifestNode } from "../manifest/manifest-node.js";
import type { BuiltSubgraph, EntityHandler, SubgraphMapping } from "./built-subgraph.js";
import { CompositionError } from "./composition-error.js";
import type { LinkedFiles } from "./linked-files.js";
import { readEntityCalls } from "./read-declared-calls.js";
import { isAtLeast } from "./versions.js";

/** The oldest version of a manifest with other subgraphs as sources, and of the manifests of these. */
export const firstComposedVersion = "1.3.0";
/** As in graph-node, which has no option for it. */
const mostSources = 5;

/** Whether a data source listens to another subgraph. */
export function isForSubgraph(source: ManifestNode): boolean {
  return source.at("kind").text() === "subgraph";
}

/** Checks graph-node's rules for the data sources of a manifest that has other subgraphs among them. @throws CompositionError */
export function checkComposition(sources: readonly ManifestNode[], specVersion: string): void {
  const composed = sources.filter(isForSubgraph);
  if (composed.length === 0) return;
  const refuse = (why: string): Error => new CompositionError(`data source subgraph is invalid: ${why}`);
  if (!isAtLeast(specVersion, firstComposedVersion)) {
    throw refuse(`Subgraph datasources are not supported prior to spec version ${firstComposedVersion}`);
  }
  if (composed.length > mostSources) {
    throw refuse(`Cannot have more than ${mostSources} subgraph datasources`);
  }
  if (composed.length < sources.length) {
    throw refuse("Subgraph datasources cannot be used alongside onchain datasources");
  }
  const seen = new Set<string>();
  for (const source of composed) {
    const deployment = source.at("source").at("address").text();
    if (seen.has(deployment)) {
      throw refuse(`Multiple subgraph datasources cannot use the same source subgraph ${deployment}`);
    }
    seen.add(deployment);
  }
}

/** The parts of a data source that only listens to another subgraph. */
export interface SubgraphSource extends Pick<BuiltSubgraph["dataSources"][number], "abis"> {
  readonly subgraph: SubgraphMapping;
}

/**
 * Reads what a data source of the kind `subgraph` listens to.
 * @param index its position, for messages
 * @throws BundleError
 */
export function readSubgraphSource(node: ManifestNode, index: number, files: LinkedFiles): SubgraphSource {
  const address = node.at("source").at("address");
  const deployment = address.text();
  if (!isCidV0(deployment))
    throw address.error(`is ${deployment}, which is not the hash of a deployment: Qm…`);
  node.at("network").text();
  const mapping = node.at("mapping");
  for (const key of ["entities", "handlers"]) {
    if (!mapping.at(key).exists) throw mapping.at(key).error("is missing");
  }
  const entries = mapping.at("abis").items();
  const abis = new Map(entries.map((entry) => [entry.at("name").text(), files.abi(entry)] as const));
  const handlers = mapping
    .at("handlers")
    .items()
    .map((one): EntityHandler => {
      const calls = one.at("calls");
      if (calls.entries().length > 0 && abis.size === 0) {
        throw new CompositionError(
          `failed to resolve data source at index ${index}: Cannot resolve declarative calls without ABI`,
        );
      }
      return {
        entity: one.at("entity").text(),
        handler: one.at("handler").text(),
        calls: readEntityCalls(calls, abis),
      };
    });
  return { abis, subgraph: { deployment, handlers } };
}
