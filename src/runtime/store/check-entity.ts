import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";
import type { EntityType, Field } from "../../subgraph/schema/entity-schema.js";
import { EntityError, UnknownFieldError } from "./entity-error.js";
import { showValue } from "./show-value.js";

/** How to treat fields that the schema lacks. Mappings of API versions before 0.0.8 may set them; they are dropped. */
export type UnknownFields = "refuse" | "drop";

/**
 * Copies the fields that a mapping sets.
 * @param place `Type[id]`, for messages
 * @throws UnknownFieldError when the schema lacks one of them; EntityError when one of them is derived
 */
export function knownFields(
  type: EntityType,
  place: string,
  data: Entity,
  unknown: UnknownFields,
): Map<string, StoreValue> {
  const fields = new Map<string, StoreValue>();
  for (const [name, value] of data) {
    if (type.fields.has(name)) fields.set(name, value);
    else if (unknown === "refuse") throw new UnknownFieldError(unknownMessage(type, data));
  }
  for (const name of fields.keys()) {
    const { target, derivedFrom } = type.fields.get(name) ?? {};
    if (derivedFrom === undefined) continue;
    throw new EntityError(`${place}.${name} cannot be set: it is derived from ${target}.${derivedFrom}`);
  }
  return fields;
}

/**
 * The first mistake, in the order of the schema, that graph-node finds when a handler sets an entity: a required field
 * without a value, or a value of another kind. Mistakes of `writeMistake` do not count yet.
 */
export function setMistake(type: EntityType, place: string, entity: Entity): string | undefined {
  for (const field of type.fields.values()) {
    const value = entity.get(field.name);
    const mistake = value ? kindMistake(place, field, value) : missingMistake(place, field);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

/**
 * The first mistake that only shows when the block is written: null in a required field or in a list, a value that an
 * enum does not declare, or a single value in a list field. A handler may set such a value and replace it later in the
 * block.
 * @param entity without nulls
 */
export function writeMistake(type: EntityType, place: string, entity: Entity): string | undefined {
  for (const field of type.fields.values()) {
    const value = entity.get(field.name);
    const mistake = value ? valueMistake(place, field, value) : missingMistake(place, field);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

function missingMistake(place: string, { name, text, nonNull, derivedFrom }: Field): string | undefined {
  if (!nonNull || derivedFrom !== undefined) return undefined;
  return `${place}.${name} has no value, but the schema requires one: ${text}`;
}

function kindMistake(place: string, field: Field, value: StoreValue): string | undefined {
  const own = `${place}.${field.name}`;
  if (value.kind !== "Array" || !field.list)
    return hasKind(field, value) ? undefined : mismatch(own, field, value);
  const index = value.value.findIndex((item) => !hasKind(field, item));
  const item = value.value[index];
  return item && mismatch(`${own}[${index}]`, field, item);
}

const hasKind = ({ kind }: Field, value: StoreValue): boolean => value.kind === kind || value.kind === "Null";

function valueMistake(place: string, field: Field, value: StoreValue): string | undefined {
  const own = `${place}.${field.name}`;
  if (!field.list) return enumMistake(own, field, value);
  if (value.kind !== "Array") return mismatch(own, field, value);
  for (const [index, item] of value.value.entries()) {
    if (item.kind === "Null") return `${own}[${index}] is null, but a list cannot contain null`;
    const mistake = enumMistake(`${own}[${index}]`, field, item);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

function enumMistake(place: string, { allowed }: Field, value: StoreValue): string | undefined {
  if (!allowed || value.kind !== "String" || allowed.has(value.value)) return undefined;
  return `${place} cannot be ${showValue(value)}; allowed values: ${[...allowed].join(", ")}`;
}

function mismatch(place: string, { text, kind, target, list }: Field, value: StoreValue): string {
  const given = `was given the ${value.kind} ${showValue(value)}`;
  if (target === undefined) return `${place} must be of type ${text}, but ${given}`;
  const wanted = list ? `ids of ${target}` : `an id of ${target}`;
  return `${place} must be ${wanted} (${kind}), but ${given}`;
}

/** In the words of graph-node. */
function unknownMessage(type: EntityType, data: Entity): string {
  const names = [...data.keys()].filter((name) => !type.fields.has(name)).sort();
  const where = `for the entity type \`${type.name}\``;
  return `Attempted to set undefined fields [${names.join(", ")}] ${where}. Make sure those fields are defined in the schema.`;
}
