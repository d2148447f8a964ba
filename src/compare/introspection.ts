import { isRecord } from "../base/text/json-value.js";

/** The introspection query: only names and types. */
export const introspectionQuery = `{ __schema { queryType { name } types { kind name
  fields { name args { name type { ...Type } } type { ...Type } }
  inputFields { name } interfaces { name } enumValues { name } } } }
fragment Type on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`;

/** A schema as an endpoint describes it, after validation. */
export interface Introspected {
  /** The fields of the query type. */
  readonly roots: readonly IntrospectedField[];
  readonly types: ReadonlyMap<string, IntrospectedType>;
}

export interface IntrospectedType {
  readonly kind: string;
  readonly name: string;
  readonly fields: readonly IntrospectedField[];
  /** The field names of an input type. */
  readonly inputs: ReadonlySet<string>;
  readonly interfaces: readonly string[];
  readonly values: readonly string[];
}

export interface IntrospectedField {
  readonly name: string;
  /** As written in a schema: `[Token!]!`. */
  readonly type: string;
  /** The types of its arguments, by name. */
  readonly args: ReadonlyMap<string, string>;
}

/** The description of a schema is invalid. */
class NoSchema extends Error {}

/**
 * Reads the answer to `introspectionQuery`.
 * @param data `data` of the answer; may be anything
 * @returns the schema, or a string with the mistake in the answer
 */
export function readIntrospection(data: unknown): Introspected | string {
  try {
    return read(record(record(data, "the answer").__schema, "__schema"));
  } catch (error) {
    if (error instanceof NoSchema) return error.message;
    throw error;
  }
}

function read(schema: Readonly<Record<string, unknown>>): Introspected {
  const types = list(schema.types, "types").map(readType);
  const byName = new Map(types.map((type) => [type.name, type]));
  const query = checkedName(record(schema.queryType, "queryType"));
  return { roots: byName.get(query)?.fields ?? [], types: byName };
}

function readType(value: unknown): IntrospectedType {
  const type = record(value, "a type");
  return {
    kind: String(type.kind),
    name: checkedName(type),
    fields: list(type.fields, "fields").map(readField),
    inputs: new Set(list(type.inputFields, "inputFields").map(checkedName)),
    interfaces: list(type.interfaces, "interfaces").map(checkedName),
    values: list(type.enumValues, "enumValues").map(checkedName),
  };
}

function readField(value: unknown): IntrospectedField {
  const field = record(value, "a field");
  const args = list(field.args, "args").map((arg): [string, string] => [
    checkedName(arg),
    typeText(record(arg, "an argument").type),
  ]);
  return { name: checkedName(field), type: typeText(field.type), args: new Map(args) };
}

function typeText(value: unknown): string {
  const type = record(value, "the type of a field");
  if (type.kind === "NON_NULL") return `${typeText(type.ofType)}!`;
  if (type.kind === "LIST") return `[${typeText(type.ofType)}]`;
  return checkedName(type);
}

/** Validates a name. Names are inserted into queries, so nothing else may be accepted. */
function checkedName(value: unknown): string {
  const { name } = record(value, "a named thing");
  if (typeof name === "string" && /^[_A-Za-z][_0-9A-Za-z]{0,999}$/.test(name)) return name;
  throw new NoSchema("it contains a name that is not valid in GraphQL");
}

function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new NoSchema(`${what} is missing`);
}

/**
 * Reads a list; null counts as empty, since introspection returns null for fields that do not apply to a kind of
 * type.
 */
function list(value: unknown, what: string): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new NoSchema(`${what} is not a list`);
}
