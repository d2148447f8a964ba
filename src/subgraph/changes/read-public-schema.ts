import { type InterfaceTypeDefinitionNode, Kind, type ObjectTypeDefinitionNode, print } from "graphql";
import { argumentOf, directiveOf } from "../schema/directives.js";
import { readDefinitions } from "../schema/read-definitions.js";
import { readSchema } from "../schema/read-schema.js";
import { type PublicField, type PublicSchema, type PublicType, shapeOfType } from "./public-schema.js";

/**
 * Reads the part of a subgraph's schema that is visible to queries.
 * @param text contents of `schema.graphql`
 * @throws SchemaError if it cannot be read
 */
export function readPublicSchema(text: string): PublicSchema {
  const { document, entities: schema } = readSchema(text);
  const { enums, fulltext } = schema;
  const { entities, interfaces, aggregations } = readDefinitions(document);
  const kinds = [
    [entities, "entity"],
    [interfaces, "interface"],
    [aggregations, "aggregation"],
  ] as const;
  const types = kinds.flatMap(([nodes, kind]) =>
    [...nodes.values()].map((node): [string, PublicType] => [node.name.value, typeOf(node, kind)]),
  );
  return { types: new Map(types), enums, searches: new Set(fulltext.map(({ name }) => name)) };
}

function typeOf(
  node: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode,
  kind: PublicType["kind"],
): PublicType {
  const fields = (node.fields ?? []).map((field): [string, PublicField] => {
    const type = print(field.type);
    const isDerived = directiveOf(field, "derivedFrom") !== undefined;
    return [field.name.value, { name: field.name.value, type, ...shapeOfType(type), isDerived }];
  });
  return {
    name: node.name.value,
    kind,
    fields: new Map(fields),
    interfaces: (node.interfaces ?? []).map(({ name }) => name.value),
    ...(kind === "entity" && { immutable: isImmutable(node) }),
  };
}

function isImmutable(node: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode): boolean {
  const flag = (name: string): boolean => {
    const value = argumentOf(node, "entity", name);
    return value?.kind === Kind.BOOLEAN && value.value;
  };
  return flag("immutable") || flag("timeseries");
}
