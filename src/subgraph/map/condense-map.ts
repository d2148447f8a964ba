import type { MapContract, MapGroup, SubgraphMap } from "./subgraph-map.js";

/** Maximum number of contracts in a group that get separate boxes. */
const mostBoxes = 6;
/** Maximum number of names in a box for many contracts. */
const mostNames = 4;

/** A map in which many contracts with the same triggers share one box. Templates keep their own. */
export function condenseMap(map: SubgraphMap): SubgraphMap {
  return { ...map, groups: map.groups.map(condenseGroup) };
}

function condenseGroup(group: MapGroup): MapGroup {
  const placed = group.contracts.filter(({ isTemplate }) => !isTemplate);
  if (placed.length <= mostBoxes) return group;
  return { ...group, contracts: [shared(placed), ...group.contracts.filter(({ isTemplate }) => isTemplate)] };
}

function shared(contracts: readonly MapContract[]): MapContract {
  const names = contracts.slice(0, mostNames).map(({ name }) => name);
  const left = contracts.length - names.length;
  return {
    name: `${contracts.length} contracts`,
    details: [...names, `and ${left} more`],
    isTemplate: false,
  };
}
