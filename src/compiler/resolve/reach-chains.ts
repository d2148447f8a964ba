import { groupBy } from "../../base/group-by.js";
import type { DataSourceInstance } from "../validate/config.js";
import type { NamedTemplate } from "./group-templates.js";
import type { InstanceListener } from "./listen.js";

/** A data source with its triggers. */
export interface DataSourceListener extends InstanceListener {
  readonly instance: DataSourceInstance;
}

/** A chain's data sources, and the templates reachable from their events. */
export interface ReachedChain {
  readonly chain: string;
  readonly dataSources: readonly DataSourceListener[];
  readonly templates: readonly NamedTemplate[];
}

/**
 * Groups data sources by chain and assigns each chain the templates that it reaches: their source ABI is instantiated
 * there, by a data source or another reached template.
 */
export function reachChains(
  dataSources: readonly DataSourceListener[],
  templates: readonly NamedTemplate[],
): readonly ReachedChain[] {
  const byChain = groupBy(dataSources, ({ instance }) => instance.chain.value);
  return [...byChain].map(([chain, group]) => {
    const present = new Set(group.map(({ instance }) => instance.abi.value));
    return { chain, dataSources: group, templates: templatesFrom(present, templates) };
  });
}

/** Adds the ABIs of reached templates to `present` until a fixed point. */
function templatesFrom(present: Set<string>, templates: readonly NamedTemplate[]): readonly NamedTemplate[] {
  const reached = new Set<NamedTemplate>();
  for (let size = -1; size !== reached.size; ) {
    size = reached.size;
    for (const template of templates) {
      if (reached.has(template)) continue;
      if (!template.origins.some(({ instance }) => present.has(instance.source.abi.value))) continue;
      reached.add(template);
      present.add(template.abi);
    }
  }
  return templates.filter((template) => reached.has(template));
}
