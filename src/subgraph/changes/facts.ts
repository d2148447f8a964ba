/** A place in a text of the user's. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** A contract that is listened to, or a template for such contracts. */
export interface SourceFacts {
  readonly kind: "contract" | "template";
  /** The network. */
  readonly chain: string;
  readonly name: string;
  /** The name of its ABI. */
  readonly abi: string;
  /** Lower-case hex; absent for templates, and where a manifest has none. */
  readonly address?: string | undefined;
  readonly startBlock?: number | undefined;
  readonly triggers: readonly TriggerFacts[];
  /** A digest of the code of its mapping, where that is all that is known of it. */
  readonly mapping?: string | undefined;
  readonly place?: Place | undefined;
  readonly addressPlace?: Place | undefined;
  readonly startBlockPlace?: Place | undefined;
}

/** What makes a handler run, and what it does then. */
export interface TriggerFacts {
  readonly kind: "event" | "call" | "block" | "file";
  /** `Transfer(indexed address,indexed address,uint256)`; of blocks, which ones. */
  readonly signature: string;
  /** What further narrows it down: topics; empty when nothing does. */
  readonly filter: string;
  readonly stores: readonly StoreFacts[];
  /** The templates that it creates contracts of; a manifest does not tell. */
  readonly creates?: readonly CreationFacts[] | undefined;
  readonly place?: Place | undefined;
}

/** A template, and the event parameter that holds the address of its new contract. */
export interface CreationFacts {
  readonly template: string;
  readonly parameter: string;
  /** The index of the parameter: one of another name may be the same. */
  readonly position: number;
}

/** An entity type that a handler stores, or may store. */
export interface StoreFacts {
  readonly entity: string;
  /**
   * What decides about it, by name: fields, `id`, and calls as `calls.<name>`. Absent where only a manifest is known,
   * which does not tell which handler stores what.
   */
  readonly values?: ReadonlyMap<string, ValueFacts> | undefined;
}

export interface ValueFacts {
  /** As it is written; the same text is the same value. */
  readonly text: string;
  readonly place?: Place | undefined;
}

/** A subgraph as far as it is known. */
export interface SubgraphFacts<Schema> {
  readonly schema: Schema;
  /** Absent where only the schema is known. */
  readonly sources?: readonly SourceFacts[] | undefined;
  /** Its name, without version; absent where it is not known. */
  readonly name?: string | undefined;
}

/** All that stores an entity type, each with its source and trigger. */
export function storesOf(
  sources: readonly SourceFacts[],
  entity: string,
): readonly { readonly source: SourceFacts; readonly trigger: TriggerFacts; readonly store: StoreFacts }[] {
  return sources.flatMap((source) =>
    source.triggers.flatMap((trigger) =>
      trigger.stores.filter((store) => store.entity === entity).map((store) => ({ source, trigger, store })),
    ),
  );
}

/** `Token at 0x… on mainnet` */
export function nameOf({ kind, name, address, chain }: SourceFacts): string {
  if (kind === "template") return `the template ${name} on ${chain}`;
  return `${name}${address === undefined ? "" : ` at ${address}`} on ${chain}`;
}
