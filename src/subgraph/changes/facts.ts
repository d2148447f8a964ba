/** A place in the user's text. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** A contract or another subgraph that a subgraph listens to, or a template for contracts. */
export interface SourceFacts {
  readonly kind: "contract" | "template";
  /** The network. */
  readonly chain: string;
  readonly name: string;
  readonly abi: string;
  /** Lower-case hex, or the hash of another subgraph's deployment; absent for templates, and if a manifest has none. */
  readonly address?: string | undefined;
  readonly startBlock?: number | undefined;
  readonly triggers: readonly TriggerFacts[];
  /** A digest of its mapping's code, if nothing else is known about the code. */
  readonly mapping?: string | undefined;
  readonly place?: Place | undefined;
  readonly addressPlace?: Place | undefined;
  readonly startBlockPlace?: Place | undefined;
}

/** What triggers a handler, and what the handler does. */
export interface TriggerFacts {
  readonly kind: "event" | "call" | "block" | "file" | "entity";
  /** `Transfer(indexed address,indexed address,uint256)`; for blocks, which ones; for entities of another subgraph, their type. */
  readonly signature: string;
  /** Further restrictions, such as topics; empty if there are none. */
  readonly filter: string;
  readonly stores: readonly StoreFacts[];
  /** The templates from which it creates data sources; absent if only a manifest is available. */
  readonly creates?: readonly CreationFacts[] | undefined;
  readonly place?: Place | undefined;
}

/** A template, and the event parameter with the address of the new contract. */
export interface CreationFacts {
  readonly template: string;
  readonly parameter: string;
  /** The index of the parameter, which may be the same parameter under a different name. */
  readonly position: number;
}

/** An entity type that a handler stores, or may store. */
export interface StoreFacts {
  readonly entity: string;
  /**
   * What determines its content, by name: fields, `id`, and calls as `calls.<name>`. Absent if only a
   * manifest is known, which does not say which handler stores what.
   */
  readonly values?: ReadonlyMap<string, ValueFacts> | undefined;
}

export interface ValueFacts {
  /** As written; the same text means the same value. */
  readonly text: string;
  readonly place?: Place | undefined;
}

export interface SubgraphFacts<Schema> {
  readonly schema: Schema;
  /** Absent if only the schema is known. */
  readonly sources?: readonly SourceFacts[] | undefined;
  /** Its name without version; absent if unknown. */
  readonly name?: string | undefined;
}

/** All triggers that store an entity type, each with its source. */
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
export function sourceTitle({ kind, name, address, chain }: SourceFacts): string {
  if (kind === "template") return `the template ${name} on ${chain}`;
  return `${name}${address === undefined ? "" : ` at ${address}`} on ${chain}`;
}
