import {
  type DefinitionNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type InputObjectTypeDefinitionNode,
  type InterfaceTypeDefinitionNode,
  isTypeSystemDefinitionNode,
  isTypeSystemExtensionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ScalarTypeDefinitionNode,
  type UnionTypeDefinitionNode,
} from "graphql";
import { directiveOf } from "./directives.js";
import { schemaError } from "./parse-schema.js";

export interface Definitions {
  readonly entities: ReadonlyMap<string, ObjectTypeDefinitionNode>;
  readonly aggregations: ReadonlyMap<string, ObjectTypeDefinitionNode>;
  /** The type that declares full text searches; it has no entities. */
  readonly declarations: ObjectTypeDefinitionNode | undefined;
  readonly interfaces: ReadonlyMap<string, InterfaceTypeDefinitionNode>;
  readonly enums: ReadonlyMap<string, EnumTypeDefinitionNode>;
  /** Input types, which are visible in queries but store nothing. */
  readonly inputs: readonly InputObjectTypeDefinitionNode[];
  /** Definitions without effect: they produce neither tables nor query types. */
  readonly leftOut: readonly (UnionTypeDefinitionNode | ScalarTypeDefinitionNode)[];
}

/**
 * Groups a schema's definitions by kind. Directives and extensions have no meaning here, as in graph-node.
 * @throws SchemaError for queries, and for types without `@entity`
 */
export function readDefinitions(document: DocumentNode): Definitions {
  const entities = new Map<string, ObjectTypeDefinitionNode>();
  const aggregations = new Map<string, ObjectTypeDefinitionNode>();
  let declarations: ObjectTypeDefinitionNode | undefined;
  const interfaces = new Map<string, InterfaceTypeDefinitionNode>();
  const enums = new Map<string, EnumTypeDefinitionNode>();
  const inputs: InputObjectTypeDefinitionNode[] = [];
  const leftOut: (UnionTypeDefinitionNode | ScalarTypeDefinitionNode)[] = [];
  for (const node of document.definitions) {
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION) {
      if (node.name.value === "_Schema_") declarations = node;
      else if (directiveOf(node, "aggregation")) aggregations.set(node.name.value, node);
      else entities.set(node.name.value, checkedEntity(node));
    } else if (node.kind === Kind.INTERFACE_TYPE_DEFINITION) interfaces.set(node.name.value, node);
    else if (node.kind === Kind.ENUM_TYPE_DEFINITION) enums.set(node.name.value, node);
    else if (node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) inputs.push(node);
    else if (node.kind === Kind.UNION_TYPE_DEFINITION || node.kind === Kind.SCALAR_TYPE_DEFINITION) {
      leftOut.push(node);
    } else checkMeaningless(node);
  }
  return { entities, aggregations, declarations, interfaces, enums, inputs, leftOut };
}

function checkMeaningless(node: DefinitionNode): void {
  if (isTypeSystemDefinitionNode(node) || isTypeSystemExtensionNode(node)) return;
  throw schemaError(node, `the schema contains ${node.kind}, which belongs in a query`);
}

function checkedEntity(node: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode {
  const name = node.name.value;
  if (!directiveOf(node, "entity")) throw schemaError(node, `the type ${name} has no @entity directive`);
  return node;
}
