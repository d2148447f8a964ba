import type { ScalarType } from "../abi/conversions.js";

/** An entity type of the emitted schema. */
export interface EntityModel {
  readonly name: string;
  /** Its description in the schema; absent in generated types. */
  readonly description?: string | undefined;
  readonly immutable: boolean;
  /** In schema order; the first is `id: ID!`. */
  readonly fields: readonly EntityField[];
}

export type { ScalarType };

export interface EntityField {
  readonly name: string;
  /** Its description in the schema; absent in generated fields. */
  readonly description?: string | undefined;
  /** The type of the value: a scalar, or a reference to another entity type. */
  readonly of:
    | { readonly kind: "scalar"; readonly name: ScalarType }
    | { readonly kind: "entity"; readonly name: string };
  readonly list: boolean;
  readonly nonNull: boolean;
  /** The field of the other type from which this list is derived; it is not stored. */
  readonly derivedFrom?: string;
}
