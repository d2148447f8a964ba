/** What a subgraph listens to and stores, for drawing. Created from a configuration or a build. */
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

export interface MapField {
  readonly name: string;
  /** As in a schema: `[Token!]!`. */
  readonly type: string;
  /** The entity type that it references. */
  readonly references?: string;
  /** Whether it is derived from the references of another type. */
  readonly isDerived: boolean;
}

/** Contracts with the same triggers. */
export interface MapGroup {
  readonly contracts: readonly MapContract[];
  readonly triggers: readonly MapTrigger[];
  /** Entity types that its triggers store, if the individual triggers' types are unknown. */
  readonly entities: readonly string[];
  /** Which part of the triggers this is, if there are too many for one group. */
  readonly part?: MapPart;
}

/** A part, counted from 1, and the number of parts. */
export interface MapPart {
  readonly number: number;
  readonly of: number;
}

/** A data source or a template. Texts are empty where the manifest has none. */
export interface MapContract {
  readonly name: string;
  readonly abi: string;
  readonly network: string;
  readonly address: string;
  readonly startBlock?: number | undefined;
  readonly isTemplate: boolean;
}

/** A handler's trigger. */
export interface MapTrigger {
  readonly kind: "event" | "call" | "block" | "file" | "entity";
  /** `Transfer(indexed address,indexed address,uint256)` */
  readonly text: string;
  /** The names of its parameters; empty if they are unknown. */
  readonly parameters: readonly string[];
  /** The functions of contracts that its handler calls, as far as known: `ERC20.balanceOf`. */
  readonly calls: readonly string[];
  /** Entity types that it stores, as far as known. */
  readonly entities: readonly string[];
  /** Names of templates from which it creates data sources, as far as known. */
  readonly creates: readonly string[];
}

/**
 * Maximum number of boxes and lines in a drawing that a server renders: several times those of the largest known
 * maps.
 */
const mostParts = 5_000;

/** Whether a map is small enough for a server to draw it whenever its page is opened. */
export function isDrawable({ groups, entities }: Pick<SubgraphMap, "groups" | "entities">): boolean {
  let parts = entities.length;
  for (const { contracts, triggers, entities: stored } of groups) {
    parts += contracts.length + triggers.length + stored.length;
    for (const trigger of triggers) parts += trigger.entities.length + trigger.creates.length;
  }
  return parts <= mostParts;
}

/** Maximum number of triggers in a group: as many as fit into a column, with an entity for each. */
const mostTriggers = 80;

/**
 * Groups contracts with the same triggers. Groups are ordered by their first contract. A group with very many
 * triggers is split.
 */
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
  return [...groups.values()].flatMap(({ group }) => partsOf(group));
}

/** Splits a group into parts with about equal numbers of triggers. */
function partsOf(group: MapGroup): readonly MapGroup[] {
  const { triggers } = group;
  const count = Math.ceil(triggers.length / mostTriggers);
  if (count <= 1) return [group];
  const at = (part: number): number => Math.round((part * triggers.length) / count);
  return Array.from({ length: count }, (_, index) => ({
    ...group,
    triggers: triggers.slice(at(index), at(index + 1)),
    part: { number: index + 1, of: count },
  }));
}
