import type { BoundCall, BoundEvent } from "../abi/bound-abi.js";
import type { StoredType } from "../abi/conversions.js";
import type { Enrichment } from "./enrichment.js";

/** One exported function of the mapping. */
export interface Handler {
  /** Unique in the whole project. */
  readonly name: string;
  readonly trigger: HandlerTrigger;
  /** The entity type it stores. */
  readonly entity: string;
  /**
   * Trigger types, the own one first, whose ids this one's must not meet: enrichment entities take over the id of
   * what triggered them, so triggers that create the same type share their ids' space. Only calls need to look.
   */
  readonly idRivals: readonly string[];
  /** Parameter fields of that entity, in schema order. */
  readonly fields: readonly ParameterField[];
  /** Templates that listen to this event. */
  readonly creates: readonly TemplateCreation[];
  readonly enrichment?: Enrichment;
  /** Whether an expression reads `event.receipt`. */
  readonly readsReceipt: boolean;
}

export type HandlerTrigger =
  | { readonly kind: "event"; readonly bound: BoundEvent }
  | { readonly kind: "call"; readonly bound: BoundCall };

export interface TemplateCreation {
  readonly template: string;
  /** Getter of the event parameter that holds the address. */
  readonly parameter: string;
}

/** A field filled from a parameter of the trigger. */
export interface ParameterField {
  readonly field: string;
  readonly stored: StoredType;
  readonly value: ParameterValue;
}

export type ParameterValue =
  /** A value as it is; `hex` for addresses, which are stored as text. */
  | { readonly kind: "plain"; readonly path: ParameterPath; readonly hex: boolean }
  /** One member of every struct in a list. */
  | {
      readonly kind: "column";
      /** The list of structs. */
      readonly list: ParameterPath;
      /** Getters from a struct of the list down to the value. */
      readonly members: readonly string[];
      readonly hex: boolean;
    }
  /** The ABI encoding, for what has no place in a schema. */
  | { readonly kind: "encoded"; readonly path: ParameterPath };

/** Where a value stands in a trigger. */
export interface ParameterPath {
  readonly root: "event.params" | "call.inputs" | "call.outputs";
  /** Getters, from the parameter down to the struct component. */
  readonly getters: readonly string[];
  /** The same by position, which is how the undecoded values are reached. */
  readonly positions: readonly number[];
}
