import {
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
} from "graphql";
import { directiveOf } from "./directives.js";
import { SchemaError } from "./entity-schema.js";

/** The definitions of a schema, by name. */
export interface Definitions {
  readonly entities: ReadonlyMap<string, ObjectTypeDefinitionNode>;
  readonly interfaces: ReadonlyMap<string, InterfaceTypeDefinitionNode>;
  readonly enums: ReadonlyMap<string, EnumTypeDefinitionNode>;
}

/**
 * Parses a schema and groups its definitions by kind.
 * @param text of `schema.graphql`
 * @throws SchemaError for text that is not GraphQL, and for unsupported definitions
 */
export function readDefinitions(text: string): Definitions {
  const entities = new Map<string, ObjectTypeDefinitionNode>();
  const interfaces = new Map<string, InterfaceTypeDefinitionNode>();
  const enums = new Map<string, EnumTypeDefinitionNode>();
  for (const node of parsed(text).definitions) {
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION) {
      // `_Schema_` only carries the declarations of full-text search; it is no entity type.
      if (node.name.value !== "_Schema_") entities.set(node.name.value, checkedEntity(node));
    } else if (node.kind === Kind.INTERFACE_TYPE_DEFINITION) interfaces.set(node.name.value, node);
    else if (node.kind === Kind.ENUM_TYPE_DEFINITION) enums.set(node.name.value, node);
    else throw new SchemaError(`the schema has a ${node.kind}, which is not supported`);
  }
  return { entities, interfaces, enums };
}

function parsed(text: string): DocumentNode {
  try {
    return parse(text, { noLocation: true });
  } catch (error) {
    throw new SchemaError(`the schema is not GraphQL: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

function checkedEntity(node: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode {
  const name = node.name.value;
  if (directiveOf(node, "aggregation")) {
    throw new SchemaError(`the type ${name} is an aggregation, which is not supported yet`);
  }
  if (!directiveOf(node, "entity")) throw new SchemaError(`the type ${name} lacks the directive @entity`);
  return node;
}
