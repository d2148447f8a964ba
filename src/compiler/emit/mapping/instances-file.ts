import { groupBy } from "../../../base/group-by.js";
import type { DataSourceModel, SubgraphModel } from "../../model/subgraph.js";
import type { Templates } from "../templates.js";

/** Emits `src/instances.ts`: the configuration's addresses, for the user's own mapping. */
export function emitInstances({ chains }: SubgraphModel, templates: Templates): string {
  return templates.print("instances", {
    networks: chains.map(({ chain, dataSources }) => ({
      network: JSON.stringify(chain),
      abis: [...groupBy(dataSources, ({ abi }) => abi.className)].map(([className, sources]) => ({
        name: JSON.stringify(className),
        addresses: conditionOf(sources),
      })),
    })),
  });
}

function conditionOf(sources: readonly DataSourceModel[]): string {
  const addresses = [...new Set(sources.map(({ address }) => address))];
  return addresses.map((address) => `text == "${address}"`).join(" ||\n        ");
}
