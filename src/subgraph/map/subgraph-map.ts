/** What a subgraph listens to and stores, to be drawn. Made from a configuration or a build. */
export interface SubgraphMap {
  /** Title of the drawing: the subgraph's name. */
  readonly title: string;
  /** In drawing order. */
  readonly groups: readonly MapGroup[];
  /** All entity types, in schema order. */
  readonly entities: readonly string[];
  /** The fields to show of entity types; absent to show none. */
  readonly fields?: ReadonlyMap<string, readonly MapField[]>;
}

/** A field of an entity type. */
export interface MapField {
  readonly name: string;
  /** As in a schema: `[Token!]!`. */
  readonly type: string;
  /** The entity type that it references, if any. */
  readonly references?: string;
  /** Whether it is derived from the references of another type. */
  readonly isDerived: boolean;
}

/** Contracts with the same triggers. */
export interface MapGroup {
  readonly contracts: readonly MapContract[];
  readonly triggers: readonly MapTrigger[];
  /** Entity types that its triggers store, if it is unknown which trigger stores which. */
  readonly entities: readonly string[];
}

/** A data source or a template. Texts are empty where the manifest does not say. */
export interface MapContract {
  readonly name: string;
  /** Name of its ABI. */
  readonly abi: string;
  readonly network: string;
  readonly address: string;
  readonly startBlock?: number | undefined;
  readonly isTemplate: boolean;
}

/** What triggers a handler. */
export interface MapTrigger {
  readonly kind: "event" | "call" | "block" | "file";
  /** `Transfer(indexed address,indexed address,uint256)` */
  readonly text: string;
  /** The names of its parameters; empty if they are unknown. */
  readonly parameters: readonly string[];
  /** The functions of contracts that its handler calls, as far as known: `ERC20.balanceOf`. */
  readonly calls: readonly string[];
  /** Entity types that it stores, as far as known. */
  readonly entities: readonly string[];
  /** Names of templates from which it creates contracts, as far as known. */
  readonly creates: readonly string[];
}

/** Groups contracts with the same triggers. Groups are ordered by their first contract. */
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
