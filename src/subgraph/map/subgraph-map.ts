/** What a subgraph listens to and what it stores, to be drawn. Of a configuration or of a build. */
export interface SubgraphMap {
  /** What the drawing is of: the subgraph's name. */
  readonly title: string;
  /** In the order they are drawn. */
  readonly groups: readonly MapGroup[];
  /** All entity types, in the order of the schema. */
  readonly entities: readonly string[];
}

/** Contracts that are listened to in the same way. */
export interface MapGroup {
  readonly contracts: readonly MapContract[];
  readonly triggers: readonly MapTrigger[];
  /** Entity types that its triggers store, where it is not known which of them stores which. */
  readonly entities: readonly string[];
}

/** A data source or a template. */
export interface MapContract {
  readonly name: string;
  /** Where it is and from when on: its network, its address, its first block. One line each. */
  readonly details: readonly string[];
  readonly isTemplate: boolean;
}

/** What a handler waits for. */
export interface MapTrigger {
  readonly kind: "event" | "call" | "block" | "file";
  /** `Transfer(indexed address,indexed address,uint256)` */
  readonly text: string;
  /** Entity types that it stores, as far as it is known. */
  readonly entities: readonly string[];
  /** Names of templates that it creates contracts of, as far as it is known. */
  readonly creates: readonly string[];
}

/** Puts contracts with the same triggers into one group, in the order of their first contract. */
export function groupContracts(
  listening: readonly {
    readonly contract: MapContract;
    readonly triggers: readonly MapTrigger[];
    readonly entities: readonly string[];
  }[],
): readonly MapGroup[] {
  const groups = new Map<string, { readonly group: MapGroup; readonly contracts: MapContract[] }>();
  for (const { contract, triggers, entities } of listening) {
    const key = JSON.stringify([triggers, entities]);
    const known = groups.get(key);
    if (known) known.contracts.push(contract);
    else {
      const contracts = [contract];
      groups.set(key, { group: { contracts, triggers, entities }, contracts });
    }
  }
  return [...groups.values()].map(({ group }) => group);
}
