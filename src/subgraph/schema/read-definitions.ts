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
  readonly aggregations: ReadonlyMap<string, ObjectTypeDefinitionNode>;
  /** The type that full text search is declared on; it has no entities. */
  readonly declarations: ObjectTypeDefinitionNode | undefined;
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
  const aggregations = new Map<string, ObjectTypeDefinitionNode>();
  let declarations: ObjectTypeDefinitionNode | undefined;
  const interfaces = new Map<string, InterfaceTypeDefinitionNode>();
  const enums = new Map<string, EnumTypeDefinitionNode>();
  for (const node of parsed(text).definitions) {
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION) {
      if (node.name.value === "_Schema_") declarations = node;
      else if (directiveOf(node, "aggregation")) aggregations.set(node.name.value, node);
      else entities.set(node.name.value, checkedEntity(node));
    } else if (node.kind === Kind.INTERFACE_TYPE_DEFINITION) interfaces.set(node.name.value, node);
    else if (node.kind === Kind.ENUM_TYPE_DEFINITION) enums.set(node.name.value, node);
    else throw new SchemaError(`the schema has a ${node.kind}, which is not supported`);
  }
  return { entities, aggregations, declarations, interfaces, enums };
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
  if (!directiveOf(node, "entity")) throw new SchemaError(`the type ${name} lacks the directive @entity`);
  return node;
}
