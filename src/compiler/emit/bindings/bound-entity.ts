import type { EntityField, EntityModel } from "../../model/entity-model.js";
import { type StoredForm, storedForm } from "./stored-form.js";

/** An entity type, as its class in `generated/schema.ts` has it. */
export interface BoundEntity {
  readonly name: string;
  readonly id: IdType;
  readonly fields: readonly BoundField[];
}

/** The type of an id in generated code; there, `ID` is a string. */
export type IdType = "String" | "Bytes" | "Int8";

export type BoundField =
  | {
      readonly kind: "stored";
      readonly name: string;
      readonly form: StoredForm;
      /** Whether the schema allows null. */
      readonly nullable: boolean;
      /** Whether the class has no setter. */
      readonly isReadOnly?: boolean;
    }
  | {
      readonly kind: "derived";
      readonly name: string;
      /** The type from whose field this one is derived. */
      readonly of: string;
      /** The type of that type's ids. */
      readonly id?: IdType | undefined;
      /** Whether the class has a getter: only for object types. */
      readonly hasGetter: boolean;
      /** Whether a class loads the type's entities; interfaces have none. */
      readonly hasLoader: boolean;
    };

/** The class of a configuration's entity type; the ids are all `ID!`. */
export function bindEntity({ name, fields }: EntityModel): BoundEntity {
  return { name, id: "String", fields: fields.map(bindField) };
}

function bindField({ name, of, list, nonNull, derivedFrom }: EntityField): BoundField {
  if (derivedFrom !== undefined)
    return { kind: "derived", name, of: of.name, hasGetter: true, hasLoader: true };
  const type = of.kind === "scalar" ? of.name : "ID";
  return { kind: "stored", name, form: storedForm(list ? `[${type}]` : type), nullable: !nonNull };
}
