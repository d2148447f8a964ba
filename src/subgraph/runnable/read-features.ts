import type { ManifestNode } from "../manifest/manifest-node.js";
import type { Feature } from "./built-subgraph.js";

const byName: ReadonlyMap<string, Feature> = new Map<string, Feature>([
  ["nonFatalErrors", "nonFatalErrors"],
  ["grafting", "grafting"],
  ["fullTextSearch", "fullTextSearch"],
  ["aggregations", "aggregations"],
  ["bytesAsIds", "bytesAsIds"],
  ["declaredEthCalls", "declaredEthCalls"],
  ["immutableEntities", "immutableEntities"],
  ["ipfsOnEthereumContracts", "ipfsOnEthereumContracts"],
  ["nonDeterministicIpfs", "ipfsOnEthereumContracts"],
]);

/** Reads the features that a manifest declares. @throws BundleError for an unknown one */
export function readFeatures(node: ManifestNode): ReadonlySet<Feature> {
  return new Set(
    node.items().map((item) => {
      const feature = byName.get(item.text());
      if (feature) return feature;
      throw item.error(`is ${item.text()}, but must be one of ${[...byName.keys()].join(", ")}`);
    }),
  );
}
