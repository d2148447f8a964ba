import type { MapContract, MapGroup, SubgraphMap } from "./subgraph-map.js";

/** Most contracts of one group that have a box of their own. */
const mostBoxes = 6;
/** Most names that a box for many contracts shows. */
const mostNames = 4;

/** A map in which many contracts that are listened to in the same way share one box; templates keep their own. */
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
