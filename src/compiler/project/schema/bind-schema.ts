import type { DocumentNode, FieldDefinitionNode, TypeNode } from "graphql";
import { currentRules, type GraphCliRules } from "../../abi/graph-cli-rules.js";
import type { BoundEntity, BoundField, IdType } from "../../emit/bindings/bound-entity.js";
import { arrayOf, storedForm } from "../../emit/bindings/stored-form.js";
import { nullableIf, type TypeText } from "../../emit/bindings/syntax.js";
import { baseName, entityTypes, hasDirective, idTypeOf, interfaceTypes } from "./schema-types.js";

/**
 * The classes that graph-cli generates for a schema.
 * @param document without errors
 */
export function bindSchema(
  document: DocumentNode,
  rules: GraphCliRules = currentRules,
): readonly BoundEntity[] {
  const entities = entityTypes(document);
  const interfaces = interfaceTypes(document);
  // The first type with a name counts; a reference holds its target's id.
  const ids = new Map<string, IdType>();
  for (const type of document.definitions) {
    if (type.kind !== "ObjectTypeDefinition" && type.kind !== "InterfaceTypeDefinition") continue;
    if (type.kind === "ObjectTypeDefinition" && !hasDirective(type, "entity")) continue;
    if (!ids.has(type.name.value)) ids.set(type.name.value, idOf(idTypeOf(type), rules));
  }
  const objects = new Set(
    document.definitions.flatMap((type) => (type.kind === "ObjectTypeDefinition" ? [type.name.value] : [])),
  );
  const interfaceNames = new Set(interfaces.map(({ name }) => name.value));
  return entities.map((entity) => ({
    name: entity.name.value,
    id: idOf(idTypeOf(entity), rules),
    fields: (entity.fields ?? []).map((field) => bindField(field, { rules, ids, objects, interfaceNames })),
  }));
}

interface Names {
  readonly rules: GraphCliRules;
  readonly ids: ReadonlyMap<string, IdType>;
  readonly objects: ReadonlySet<string>;
  readonly interfaceNames: ReadonlySet<string>;
}

function idOf(type: string | undefined, { int8 }: GraphCliRules): IdType {
  return type === "Bytes" || (type === "Int8" && int8) ? type : "String";
}

function bindField(field: FieldDefinitionNode, { rules, ids, objects, interfaceNames }: Names): BoundField {
  const name = field.name.value;
  const isDerived = hasDirective(field, "derivedFrom");
  if (isDerived && rules.loaders) {
    const of = baseName(field.type);
    const hasLoader = !(rules.noInterfaceLoaders && interfaceNames.has(of));
    return { kind: "derived", name, of, id: ids.get(of), hasGetter: objects.has(of), hasLoader };
  }
  const value = valueType(field.type, ids);
  const isList = value.startsWith("[");
  const form = isList ? storedForm(value, listType(field.type, ids)) : storedForm(value);
  const isReadOnly = isDerived && rules.readOnlyDerived;
  return { kind: "stored", name, form, nullable: field.type.kind !== "NonNullType", isReadOnly };
}

/** A type in graph-cli's notation, which ignores nullability: `[[Bytes]]`. */
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
