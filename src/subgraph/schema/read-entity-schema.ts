import { type DocumentNode, Kind, type ObjectTypeDefinitionNode } from "graphql";
import { checkNames } from "./check-names.js";
import { argumentOf } from "./directives.js";
import type { EntitySchema, EntityType } from "./entity-schema.js";
import { parseSchema, schemaError } from "./parse-schema.js";
import { readAggregations } from "./read-aggregations.js";
import { type Definitions, readDefinitions } from "./read-definitions.js";
import { FieldReader, type ReadFields } from "./read-fields.js";
import { readFulltext } from "./read-fulltext.js";

/**
 * Reads a subgraph's schema.
 * @param text contents of `schema.graphql`
 * @throws SchemaError if it cannot be read or refers to something undefined
 */
export function readEntitySchema(text: string): EntitySchema {
  return entitySchemaOf(parseSchema(text));
}

/** Reads a schema that is already parsed. @throws SchemaError if it refers to something undefined */
export function entitySchemaOf(document: DocumentNode): EntitySchema {
  const definitions = readDefinitions(document);
  checkNames(definitions);
  const fields = new FieldReader(definitions);
  const implementers = implementersOf(definitions);
  const types = new Map(
    [...definitions.entities.values()].map((node) => [
      node.name.value,
      entityType(node, fields.read(node), rivalsOf(node, implementers)),
    ]),
  );
  const enums = new Map(
    [...definitions.enums].map(([name, { values = [] }]) => [name, values.map((value) => value.name.value)]),
  );
  return {
    types,
    implementers,
    enums,
    aggregations: readAggregations(definitions, fields, types),
    fulltext: readFulltext(definitions, types),
  };
}

function implementersOf({ entities, interfaces }: Definitions): Map<string, string[]> {
  const found = new Map([...interfaces.keys()].map((name): [string, string[]] => [name, []]));
  for (const node of entities.values()) {
    for (const { name } of node.interfaces ?? []) {
      const own = found.get(name.value);
      if (!own) {
        throw schemaError(name, `the type ${node.name.value} implements ${name.value}, which is not defined`);
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
    throw schemaError(value, `@entity(${name}: …) on the type ${node.name.value} must be true or false`);
  };
  const timeseries = flag("timeseries") ?? false;
  const name = node.name.value;
  if (timeseries) checkTimeseries(node, fields, idKind, flag("immutable"));
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
  node: ObjectTypeDefinitionNode,
  fields: ReadFields["fields"],
  idKind: string,
  immutable: boolean | undefined,
): void {
  const name = node.name.value;
  if (immutable === false) throw schemaError(node, `the timeseries ${name} cannot be mutable`);
  const timestamp = fields.get("timestamp");
  if (idKind !== "Int8" || timestamp?.kind !== "Timestamp" || timestamp.list) {
    throw schemaError(node, `the timeseries ${name} needs \`id: Int8!\` and \`timestamp: Timestamp!\``);
  }
}
