import type { EntityField, EntityModel } from "../../model/entity-model.js";
import { type StoredForm, storedForm } from "./stored-form.js";

/** An entity type as its class in `generated/schema.ts` shows it. */
export interface BoundEntity {
  readonly name: string;
  readonly id: IdType;
  readonly fields: readonly BoundField[];
}

/** The type of an id in generated code; `ID` is a string there. */
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
      /** The type with the field that this one is derived from. */
      readonly of: string;
      /** The type of the ids of that type. */
      readonly id?: IdType | undefined;
      /** Whether the class has a getter: only for object types. */
      readonly hasGetter: boolean;
      /** Whether the type has a class that loads its entities: not if it is an interface. */
      readonly hasLoader: boolean;
    };

/** The class of an entity type of a configuration, whose ids are all `ID!`. */
export function bindEntity({ name, fields }: EntityModel): BoundEntity {
  return { name, id: "String", fields: fields.map(bindField) };
}

function bindField({ name, of, list, nonNull, derivedFrom }: EntityField): BoundField {
  if (derivedFrom !== undefined)
    return { kind: "derived", name, of: of.name, hasGetter: true, hasLoader: true };
  const type = of.kind === "scalar" ? of.name : "ID";
  return { kind: "stored", name, form: storedForm(list ? `[${type}]` : type), nullable: !nonNull };
}
