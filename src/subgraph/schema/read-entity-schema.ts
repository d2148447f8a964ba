import {
  type EnumTypeDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
} from "graphql";
import { argumentOf, directiveOf } from "./directives.js";
import { type EntitySchema, type EntityType, SchemaError } from "./entity-schema.js";
import { FieldReader, type ReadFields } from "./read-fields.js";

/** The definitions of a schema by name. */
export interface Definitions {
  readonly entities: ReadonlyMap<string, ObjectTypeDefinitionNode>;
  readonly interfaces: ReadonlyMap<string, InterfaceTypeDefinitionNode>;
  readonly enums: ReadonlyMap<string, EnumTypeDefinitionNode>;
}

/**
 * Reads a subgraph's schema.
 * @param text of `schema.graphql`
 * @throws SchemaError when it cannot be read, or has what is not supported: aggregations, unions, custom scalars
 */
export function readEntitySchema(text: string): EntitySchema {
  const definitions = collect(text);
  const fields = new FieldReader(definitions);
  const implementers = implementersOf(definitions);
  const types = new Map(
    [...definitions.entities.values()].map((node) => [
      node.name.value,
      entityType(node, fields.read(node), rivalsOf(node, implementers)),
    ]),
  );
  return { types, implementers };
}

function collect(text: string): Definitions {
  const entities = new Map<string, ObjectTypeDefinitionNode>();
  const interfaces = new Map<string, InterfaceTypeDefinitionNode>();
  const enums = new Map<string, EnumTypeDefinitionNode>();
  for (const node of parsed(text).definitions) {
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION) {
      // Full text search is declared on a type of this name that has no entities.
      if (node.name.value !== "_Schema_") entities.set(node.name.value, checkedEntity(node));
    } else if (node.kind === Kind.INTERFACE_TYPE_DEFINITION) interfaces.set(node.name.value, node);
    else if (node.kind === Kind.ENUM_TYPE_DEFINITION) enums.set(node.name.value, node);
    else throw new SchemaError(`the schema has a ${node.kind}, which is not supported`);
  }
  return { entities, interfaces, enums };
}

function parsed(text: string) {
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

function implementersOf({ entities, interfaces }: Definitions): Map<string, string[]> {
  const found = new Map([...interfaces.keys()].map((name): [string, string[]] => [name, []]));
  for (const node of entities.values()) {
    for (const { name } of node.interfaces ?? []) {
      const own = found.get(name.value);
      if (!own) {
        throw new SchemaError(`the type ${node.name.value} implements ${name.value}, which is not defined`);
      }
      own.push(node.name.value);
    }
  }
  return found;
}

function rivalsOf(
  node: ObjectTypeDefinitionNode,
  implementers: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const own = node.interfaces?.flatMap(({ name }) => implementers.get(name.value) ?? []) ?? [];
  return [...new Set(own)].filter((name) => name !== node.name.value);
}

function entityType(
  node: ObjectTypeDefinitionNode,
  { fields, idKind }: ReadFields,
  rivals: readonly string[],
): EntityType {
  const flag = (name: string): boolean | undefined => {
    const value = argumentOf(node, "entity", name);
    if (value === undefined) return undefined;
    if (value.kind === Kind.BOOLEAN) return value.value;
    throw new SchemaError(`@entity(${name}: …) of the type ${node.name.value} is neither true nor false`);
  };
  const timeseries = flag("timeseries") ?? false;
  const name = node.name.value;
  if (timeseries) checkTimeseries(name, fields, idKind, flag("immutable"));
  const stored = [...fields.values()].filter(({ derivedFrom }) => derivedFrom === undefined);
  stored.sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    name,
    immutable: flag("immutable") ?? timeseries,
    skipDuplicates: flag("skipDuplicates") ?? false,
    timeseries,
    idKind,
    fields,
    stored,
    required: stored.filter(({ nonNull }) => nonNull),
    rivals,
  };
}

function checkTimeseries(
  name: string,
  fields: ReadFields["fields"],
  idKind: string,
  immutable: boolean | undefined,
): void {
  if (immutable === false) throw new SchemaError(`the timeseries ${name} cannot be mutable`);
  const timestamp = fields.get("timestamp");
  if (idKind !== "Int8" || timestamp?.kind !== "Timestamp" || timestamp.list) {
    throw new SchemaError(`the timeseries ${name} needs \`id: Int8!\` and \`timestamp: Timestamp!\``);
  }
}
