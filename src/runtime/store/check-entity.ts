import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";
import type { EntityType, Field } from "../../subgraph/schema/entity-schema.js";
import { EntityError, UnknownFieldError } from "./entity-error.js";
import { showValue } from "./show-value.js";

/** How to treat fields that the schema lacks. Mappings of API versions before 0.0.8 may set them; they are dropped. */
export type UnknownFields = "refuse" | "drop";

/**
 * Checks the fields that a mapping sets against the schema, and copies them.
 * @param place `Type[id]`, for messages
 * @throws EntityError for the first invalid field
 */
export function checkedFields(
  type: EntityType,
  place: string,
  data: Entity,
  unknown: UnknownFields,
): Map<string, StoreValue> {
  const fields = new Map<string, StoreValue>();
  for (const [name, value] of data) {
    const field = type.fields.get(name);
    if (field) {
      checkField(place, field, value);
      fields.set(name, value);
    } else if (unknown === "refuse") throw new UnknownFieldError(unknownMessage(type, place, data));
  }
  return fields;
}

/** @throws EntityError when a required field has no value */
export function checkComplete(type: EntityType, place: string, entity: Entity): void {
  const missing = firstMissing(type, entity);
  if (missing) {
    throw new EntityError(
      `${place}.${missing.name} has no value, but the schema requires one: ${missing.text}`,
    );
  }
}

/** The first required field without a value. */
export function firstMissing(type: EntityType, entity: Entity): Field | undefined {
  return type.required.find(({ name }) => (entity.get(name)?.kind ?? "Null") === "Null");
}

function checkField(place: string, field: Field, value: StoreValue): void {
  if (field.derivedFrom !== undefined) {
    throw new EntityError(
      `${place}.${field.name} cannot be set: it is derived from ${field.target}.${field.derivedFrom}`,
    );
  }
  if (value.kind === "Null") return;
  if (!field.list) {
    checkItem(place, field, value, field.name);
    return;
  }
  if (value.kind !== "Array") throw new EntityError(mismatch(`${place}.${field.name}`, field, value));
  for (const [index, item] of value.value.entries()) {
    if (item.kind === "Null") {
      throw new EntityError(`${place}.${field.name}[${index}] is null, but a list cannot contain null`);
    }
    checkItem(place, field, item, `${field.name}[${index}]`);
  }
}

function checkItem(place: string, field: Field, value: StoreValue, name: string): void {
  if (value.kind !== field.kind) throw new EntityError(mismatch(`${place}.${name}`, field, value));
  if (field.allowed && value.kind === "String" && !field.allowed.has(value.value)) {
    throw new EntityError(
      `${place}.${name} cannot be ${showValue(value)}; allowed values: ${[...field.allowed].join(", ")}`,
    );
  }
}

function mismatch(place: string, { text, kind, target, list }: Field, value: StoreValue): string {
  const given = `was given the ${value.kind} ${showValue(value)}`;
  if (target === undefined) return `${place} must be of type ${text}, but ${given}`;
  const wanted = list ? `ids of ${target}` : `an id of ${target}`;
  return `${place} must be ${wanted} (${kind}), but ${given}`;
}

function unknownMessage(type: EntityType, place: string, data: Entity): string {
  const names = [...data.keys()].filter((name) => !type.fields.has(name)).sort();
  const given = names.map((name) => `${name} (${showValue(data.get(name) ?? { kind: "Null" })})`);
  return `${place} has no field ${given.join(", ")} in the schema; it has ${type.stored.map(({ name }) => name).join(", ")}`;
}
