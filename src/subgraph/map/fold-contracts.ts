import { groupBy } from "../../base/group-by.js";
import type { MapContract } from "./subgraph-map.js";

/** Maximum number of contracts of one ABI in a group that get separate boxes. */
const mostOfAbi = 3;
/** Maximum number of boxes for contracts in a group. */
const mostBoxes = 6;

/** Contracts that share a box: one, or several with the same handlers. */
export interface ContractFold {
  /** The contract's name, `Token ×40` for contracts of one ABI, else `40 contracts`. */
  readonly name: string;
  /** At least one. */
  readonly contracts: readonly MapContract[];
}

/**
 * Folds the contracts of a group, which have the same handlers, so that few boxes are left: many contracts of one
 * ABI share a box, and all contracts do if there are many ABIs. Templates keep their own boxes.
 */
export function foldContracts(contracts: readonly MapContract[]): readonly ContractFold[] {
  const placed = contracts.filter(({ isTemplate }) => !isTemplate);
  const templates = contracts.filter(({ isTemplate }) => isTemplate).map(alone);
  const folds = [...groupBy(placed, ({ abi }) => abi)].flatMap(([abi, all]) => {
    if (all.length <= mostOfAbi || abi === "") return all.map(alone);
    return [{ name: `${abi} ×${all.length}`, contracts: all }];
  });
  if (folds.length <= mostBoxes) return [...folds, ...templates];
  return [{ name: `${placed.length} contracts`, contracts: placed }, ...templates];
}

function alone(contract: MapContract): ContractFold {
  return { name: contract.name, contracts: [contract] };
}
