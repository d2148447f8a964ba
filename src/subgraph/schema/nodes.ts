import {
  type DocumentNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type TypeNode,
} from "graphql";
import { directiveOf } from "./directives.js";

/** Entity types, aggregations and `_Schema_`, in schema order. */
export function objectsIn({ definitions }: DocumentNode): readonly ObjectTypeDefinitionNode[] {
  return definitions.filter((node) => node.kind === Kind.OBJECT_TYPE_DEFINITION);
}

/** The types with `@entity`. */
export function entitiesIn(document: DocumentNode): readonly ObjectTypeDefinitionNode[] {
  return objectsIn(document).filter((node) => directiveOf(node, "entity"));
}

/** The interfaces of a schema, by name; if several share a name, the first. */
export function interfacesIn({
  definitions,
}: DocumentNode): ReadonlyMap<string, InterfaceTypeDefinitionNode> {
  const found = new Map<string, InterfaceTypeDefinitionNode>();
  for (const node of definitions) {
    if (node.kind !== Kind.INTERFACE_TYPE_DEFINITION || found.has(node.name.value)) continue;
    found.set(node.name.value, node);
  }
  return found;
}

/** The name of a type without lists and exclamation marks. */
export function nameIn(type: TypeNode): string {
  let node = type;
  while (node.kind !== Kind.NAMED_TYPE) node = node.type;
  return node.name.value;
}
