import type { Location } from "../source/source.js";

/** A source of a model, for comparison with another model's. */
export interface DescribedSource {
  readonly kind: "contract" | "template";
  readonly chain: string;
  readonly name: string;
  readonly abi: string;
  readonly address?: string;
  readonly startBlock?: number;
  readonly triggers: readonly DescribedTrigger[];
  readonly at: Location;
  readonly places?: { readonly address: Location; readonly startBlock: Location };
}

/** A handler's trigger, and what the handler stores. */
export interface DescribedTrigger {
  readonly kind: "event" | "call";
  /** As in a manifest. */
  readonly signature: string;
  readonly stores: readonly DescribedStore[];
  /** The templates from which the handler creates contracts. */
  readonly creates: readonly DescribedCreation[];
  /** The trigger's entry in the ABI. */
  readonly at: Location;
}

/** A template, and the event parameter with the address of its new contract. */
export interface DescribedCreation {
  readonly template: string;
  readonly parameter: string;
  /** The index of the parameter, which identifies it even if its name changes. */
  readonly position: number;
}

/** An entity type that the handler stores, and everything that affects it. */
export interface DescribedStore {
  readonly entity: string;
  /**
   * Fields, `id` and calls (`calls.<name>`), by name. From the second entity of a type on, names end in `(2)` and so
   * on.
   */
  readonly values: ReadonlyMap<string, DescribedValue>;
}

export interface DescribedValue {
  readonly text: string;
  readonly at?: Location;
}
