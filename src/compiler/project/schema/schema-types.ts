import type {
  DocumentNode,
  FieldDefinitionNode,
  InterfaceTypeDefinitionNode,
  ObjectTypeDefinitionNode,
  TypeNode,
} from "graphql";

/** The type inside lists and non-null types. */
export function baseName(type: TypeNode): string {
  return type.kind === "NamedType" ? type.name.value : baseName(type.type);
}

/** The entity types of a schema: object types with `@entity`. */
export function entityTypes({ definitions }: DocumentNode): readonly ObjectTypeDefinitionNode[] {
  return definitions.filter((definition) => definition.kind === "ObjectTypeDefinition").filter(isEntity);
}

export function interfaceTypes({ definitions }: DocumentNode): readonly InterfaceTypeDefinitionNode[] {
  return definitions.filter((definition) => definition.kind === "InterfaceTypeDefinition");
}

export function hasDirective(
  { directives = [] }: Pick<ObjectTypeDefinitionNode | FieldDefinitionNode, "directives">,
  name: string,
): boolean {
  return directives.some((directive) => directive.name.value === name);
}

function isEntity(type: ObjectTypeDefinitionNode): boolean {
  return hasDirective(type, "entity");
}

/** The id of a type; `undefined` unless its type is non-null. */
export function idTypeOf({
  fields = [],
}: Pick<ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode, "fields">): string | undefined {
  const type = fields.find(({ name }) => name.value === "id")?.type;
  return type?.kind === "NonNullType" && type.type.kind === "NamedType" ? type.type.name.value : undefined;
}
