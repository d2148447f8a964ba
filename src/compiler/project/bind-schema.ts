import type { DocumentNode, FieldDefinitionNode, TypeNode } from "graphql";
import type { BoundEntity, BoundField, IdType } from "../emit/bindings/bound-entity.js";
import { arrayOf, storedForm } from "../emit/bindings/stored-form.js";
import { nullableIf, type TypeText } from "../emit/bindings/syntax.js";
import { baseName, entityTypes, hasDirective, idTypeOf, interfaceTypes } from "./schema-types.js";

/**
 * The classes that graph-cli generates for a schema.
 * @param document without errors
 */
export function bindSchema(document: DocumentNode): readonly BoundEntity[] {
  const entities = entityTypes(document);
  const interfaces = interfaceTypes(document);
  // The first type of a name counts; a reference holds the id of its target.
  const ids = new Map<string, string>();
  for (const type of document.definitions) {
    if (type.kind !== "ObjectTypeDefinition" && type.kind !== "InterfaceTypeDefinition") continue;
    if (type.kind === "ObjectTypeDefinition" && !hasDirective(type, "entity")) continue;
    if (!ids.has(type.name.value)) ids.set(type.name.value, idOf(idTypeOf(type)));
  }
  const objects = new Set(
    document.definitions.flatMap((type) => (type.kind === "ObjectTypeDefinition" ? [type.name.value] : [])),
  );
  const interfaceNames = new Set(interfaces.map(({ name }) => name.value));
  return entities.map((entity) => ({
    name: entity.name.value,
    id: idOf(idTypeOf(entity)),
    fields: (entity.fields ?? []).map((field) => bindField(field, { ids, objects, interfaceNames })),
  }));
}

interface Names {
  readonly ids: ReadonlyMap<string, string>;
  readonly objects: ReadonlySet<string>;
  readonly interfaceNames: ReadonlySet<string>;
}

function idOf(type: string | undefined): IdType {
  return type === "Bytes" || type === "Int8" ? type : "String";
}

function bindField(field: FieldDefinitionNode, { ids, objects, interfaceNames }: Names): BoundField {
  const name = field.name.value;
  if (hasDirective(field, "derivedFrom")) {
    const of = baseName(field.type);
    return { kind: "derived", name, of, hasGetter: objects.has(of), hasLoader: !interfaceNames.has(of) };
  }
  const value = valueType(field.type, ids);
  const isList = value.startsWith("[");
  const form = isList ? storedForm(value, listType(field.type, ids)) : storedForm(value);
  return { kind: "stored", name, form, nullable: field.type.kind !== "NonNullType" };
}

/** A type in graph-cli's notation, which ignores what may be null: `[[Bytes]]`. */
function valueType(type: TypeNode, ids: ReadonlyMap<string, string>): string {
  if (type.kind === "NonNullType") return valueType(type.type, ids);
  if (type.kind === "ListType") return `[${valueType(type.type, ids)}]`;
  return ids.get(type.name.value) ?? type.name.value;
}

/** The AssemblyScript type of a list, whose items may be null. */
function listType(type: TypeNode, ids: ReadonlyMap<string, string>): TypeText {
  if (type.kind === "NonNullType") return listType(type.type, ids);
  if (type.kind === "NamedType") return storedForm(valueType(type, ids)).assemblyType;
  const item = listType(type.type, ids);
  const isNullable = type.type.kind !== "NonNullType" && !isPrimitive(type.type, ids);
  return arrayOf(nullableIf(isNullable, item));
}

function isPrimitive(type: TypeNode, ids: ReadonlyMap<string, string>): boolean {
  return type.kind === "NamedType" && storedForm(valueType(type, ids)).unset !== undefined;
}
