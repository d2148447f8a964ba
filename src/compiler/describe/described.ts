import type { Location } from "../source/source.js";

/** A source of a model, for who compares it with another. */
export interface DescribedSource {
  readonly kind: "contract" | "template";
  readonly chain: string;
  readonly name: string;
  /** Class name of its ABI. */
  readonly abi: string;
  readonly address?: string;
  readonly startBlock?: number;
  readonly triggers: readonly DescribedTrigger[];
  readonly at: Location;
  readonly places?: { readonly address: Location; readonly startBlock: Location };
}

/** What makes a handler run, and what it stores then. */
export interface DescribedTrigger {
  readonly kind: "event" | "call";
  /** As in a manifest. */
  readonly signature: string;
  readonly stores: readonly DescribedStore[];
  /** The templates that it creates contracts of. */
  readonly creates: readonly DescribedCreation[];
  /** Its entry of the ABI. */
  readonly at: Location;
}

/** A template, and the event parameter that holds the address of its new contract. */
export interface DescribedCreation {
  readonly template: string;
  readonly parameter: string;
  /** The index of the parameter: one of another name may be the same. */
  readonly position: number;
}

/** An entity type that it stores, and all that decides about it. */
export interface DescribedStore {
  readonly entity: string;
  /** By name: fields, `id`, and calls as `calls.<name>`. Of further entities of one type, with their number before. */
  readonly values: ReadonlyMap<string, DescribedValue>;
}

export interface DescribedValue {
  readonly text: string;
  readonly at?: Location;
}
