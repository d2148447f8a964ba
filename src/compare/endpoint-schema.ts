import {
  type PublicField,
  type PublicSchema,
  type PublicType,
  shapeOfType,
} from "../subgraph/changes/public-schema.js";
import type { QueryEndpoint } from "./endpoint.js";
import {
  type Introspected,
  type IntrospectedField,
  type IntrospectedType,
  introspectionQuery,
  readIntrospection,
} from "./introspection.js";

/** The schema that an endpoint serves, and how to query it. */
export interface EndpointSchema {
  readonly schema: PublicSchema;
  /** How to list the entities of each type. */
  readonly lists: ReadonlyMap<string, EntityList>;
}

/** A root field that lists the entities of a type. */
export interface EntityList {
  readonly root: string;
  /** The type of its argument `where`. */
  readonly filter: string;
  /** List fields that return only a part unless the query says how many items. */
  readonly paged: ReadonlySet<string>;
}

/**
 * Reads the schema of an endpoint.
 * @throws EndpointFailure when the endpoint does not return it, or does not serve a subgraph
 */
export async function readEndpointSchema(endpoint: QueryEndpoint): Promise<EndpointSchema> {
  const found = readIntrospection(await endpoint.ask(introspectionQuery));
  if (typeof found === "string") throw endpoint.failure(`it does not describe its schema: ${found}`);
  const read = schemaOf(found);
  if (read.lists.size > 0) return read;
  throw endpoint.failure(
    "it answers GraphQL, but not as a subgraph does: its schema has no list of entities",
  );
}

function schemaOf(found: Introspected): EndpointSchema {
  const lists = new Map<string, EntityList>();
  const searches = new Set<string>();
  const kinds = new Map<string, PublicType["kind"]>();
  for (const root of found.roots) {
    const { base, isList } = shapeOfType(root.type);
    const type = found.types.get(base);
    if (!type || !isList || root.name.startsWith("_")) continue;
    if (root.args.has("text")) searches.add(root.name);
    else if (type.kind === "INTERFACE") kinds.set(base, "interface");
    else if (root.args.has("interval")) kinds.set(base, "aggregation");
    else if (isEntityList(root, type)) {
      kinds.set(base, "entity");
      lists.set(base, listOf(root, type));
    }
  }
  const types = [...kinds].flatMap(([name, kind]): [string, PublicType][] => {
    const type = found.types.get(name);
    return type ? [[name, typeOf(type, kind, found)]] : [];
  });
  const enums = [...found.types.values()].filter((type) => type.kind === "ENUM" && isDeclared(type, kinds));
  return {
    schema: {
      types: new Map(types),
      enums: new Map(enums.map(({ name, values }) => [name, values])),
      searches,
    },
    lists,
  };
}

function isEntityList({ args }: IntrospectedField, { kind, fields }: IntrospectedType): boolean {
  const isPaged = ["first", "where", "orderBy", "block"].every((name) => args.has(name));
  return kind === "OBJECT" && isPaged && fields.some(({ name }) => name === "id");
}

function listOf(root: IntrospectedField, { fields }: IntrospectedType): EntityList {
  const paged = fields.filter(({ args }) => args.has("first")).map(({ name }) => name);
  return { root: root.name, filter: root.args.get("where") ?? "", paged: new Set(paged) };
}

function typeOf(type: IntrospectedType, kind: PublicType["kind"], found: Introspected): PublicType {
  const stored = found.types.get(`${type.name}_filter`)?.inputs;
  const named = type.fields.filter(({ name }) => !name.startsWith("__"));
  const fields = named.map((field): [string, PublicField] => {
    const shape = shapeOfType(field.type);
    const target = found.types.get(shape.base)?.kind;
    const isReference = target === "OBJECT" || target === "INTERFACE";
    // A derived field can be filtered only by the fields of the other type.
    const isDerived = isReference && stored !== undefined && !stored.has(field.name);
    return [field.name, { name: field.name, type: field.type, ...shape, isDerived }];
  });
  return { name: type.name, kind, fields: new Map(fields), interfaces: type.interfaces };
}

/** Whether the subgraph declares the enum, as opposed to an enum for arguments of queries. */
function isDeclared({ name }: IntrospectedType, types: ReadonlyMap<string, unknown>): boolean {
  const made = ["OrderDirection", "LogLevel", "Aggregation_interval", "Aggregation_current"];
  return !name.startsWith("_") && !made.includes(name) && !types.has(name.replace(/_orderBy$/, ""));
}
