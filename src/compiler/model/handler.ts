import type { BoundCall, BoundEvent } from "../abi/bound-abi.js";
import type { StoredType } from "../abi/conversions.js";
import type { LocatedString } from "../source/source.js";
import type { Enrichment } from "./enrichment.js";

/** An exported function of the mapping. */
export interface Handler {
  /** Unique in the project. */
  readonly name: string;
  readonly trigger: HandlerTrigger;
  /** The entity type it stores. */
  readonly entity: string;
  /**
   * Trigger types, starting with its own, whose ids must not clash with its own: enrichment entities use the id of
   * their trigger, so triggers that create the same type share an id space. Only call handlers check.
   */
  readonly idRivals: readonly string[];
  /** Parameter fields of the entity, in schema order. */
  readonly fields: readonly ParameterField[];
  readonly creates: readonly TemplateCreation[];
  readonly enrichment?: Enrichment;
  /** The function of the user's own mapping that is called at the end. */
  readonly own?: LocatedString;
  /** Whether an expression reads `event.receipt`. */
  readonly readsReceipt: boolean;
}

export type HandlerTrigger =
  | { readonly kind: "event"; readonly bound: BoundEvent }
  | { readonly kind: "call"; readonly bound: BoundCall };

export interface TemplateCreation {
  readonly template: string;
  /** Getter of the event parameter with the address. */
  readonly parameter: string;
}

export interface ParameterField {
  readonly field: string;
  readonly stored: StoredType;
  readonly value: ParameterValue;
}

export type ParameterValue =
  /** A plain value; `hex` for addresses, which are stored as strings. */
  | { readonly kind: "plain"; readonly path: ParameterPath; readonly hex: boolean }
  /** A list of one member of every struct in a list. */
  | {
      readonly kind: "column";
      readonly list: ParameterPath;
      /** Getters from one of the list's structs to the value. */
      readonly members: readonly string[];
      readonly hex: boolean;
    }
  /** The ABI encoding, for types that a schema cannot express. */
  | { readonly kind: "encoded"; readonly path: ParameterPath };

/** The path of a value within a trigger. */
export interface ParameterPath {
  readonly root: "event.params" | "call.inputs" | "call.outputs";
  /** Getters, from the parameter to the struct component. */
  readonly getters: readonly string[];
  /** The same as indexes, for undecoded values. */
  readonly positions: readonly number[];
}
