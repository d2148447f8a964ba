import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  print,
} from "graphql";
import { specifiedScalars } from "../api/builtin-types.js";
import { repeatedType } from "../api/print-api.js";
import type { SelectedField } from "../request/selection.js";
import type { PlainObject } from "./plain-value.js";

/** The value of `__schema`, as in graph-node. */
export function schemaObject(schema: GraphQLSchema): PlainObject {
  return {
    description: null,
    types: () => listedTypes(schema).map((type) => typeObject(type, schema)),
    queryType: () => {
      const query = schema.getQueryType();
      return query ? typeObject(query, schema) : null;
    },
    mutationType: null,
    subscriptionType: null,
    directives: () => ownDirectives(schema).map((directive) => directiveObject(directive, schema)),
  };
}

/** The value of `__type`; null for types that are not listed. */
export function namedTypeObject(name: string, schema: GraphQLSchema): PlainObject | null {
  const type = name.startsWith("__") ? undefined : schema.getType(name);
  return type ? typeObject(type, schema) : null;
}

function listedTypes(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  const all = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith("__"));
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const graphqlOwn = new Set(["deprecated", "specifiedBy", "oneOf"]);

/** The entity schema's directives first. One that graph-node also defines appears twice. */
function ownDirectives(schema: GraphQLSchema): readonly GraphQLDirective[] {
  return schema.getDirectives().filter(({ name }) => !graphqlOwn.has(name));
}

function typeObject(type: GraphQLType, schema: GraphQLSchema): PlainObject {
  if (isNonNullType(type) || isListType(type)) {
    return {
      kind: isListType(type) ? "LIST" : "NON_NULL",
      ofType: () => typeObject(type.ofType, schema),
    };
  }
  return {
    kind: kindOf(type),
    name: type.name,
    description: descriptionOf(type),
    specifiedByURL: null,
    ofType: null,
    fields: () => fieldObjects(type, schema),
    interfaces: () =>
      isObjectType(type) ? type.getInterfaces().map((one) => typeObject(one, schema)) : null,
    possibleTypes: () => possibleTypes(type, schema),
    enumValues: () =>
      isEnumType(type)
        ? type
            .getValues()
            .map(({ name, description }) => ({ name, description: description ?? null, ...current }))
        : null,
    inputFields: () =>
      isInputObjectType(type)
        ? Object.values(type.getFields()).map((field) => inputObject(field, schema))
        : null,
  };
}

/** No part of the schema is deprecated. */
const current = { isDeprecated: false, deprecationReason: null };

function kindOf(type: GraphQLNamedType): string {
  if (isScalarType(type)) return "SCALAR";
  if (isObjectType(type)) return "OBJECT";
  if (isInterfaceType(type)) return "INTERFACE";
  if (isUnionType(type)) return "UNION";
  return isEnumType(type) ? "ENUM" : "INPUT_OBJECT";
}

function descriptionOf(type: GraphQLNamedType): string | null {
  const own = isSpecifiedScalarType(type) ? specifiedScalars.get(type.name) : type.description;
  return own ?? null;
}

function possibleTypes(type: GraphQLNamedType, schema: GraphQLSchema): readonly PlainObject[] | null {
  if (!isInterfaceType(type)) return null;
  const types = schema.getPossibleTypes(type);
  return types.length === 0 ? null : types.map((one) => typeObject(one, schema));
}

function fieldObjects(type: GraphQLNamedType, schema: GraphQLSchema): readonly PlainObject[] | null {
  if (!isObjectType(type) && !isInterfaceType(type)) return null;
  return fieldsOf(type, schema).map(({ name, description, args, type: own }) => ({
    name,
    description: description ?? null,
    args: () => args.map((argument) => inputObject(argument, schema)),
    type: () => typeObject(own, schema),
    ...current,
  }));
}

/** The fields of `Query`, including repeated names. */
function fieldsOf(
  type: GraphQLObjectType | GraphQLInterfaceType,
  schema: GraphQLSchema,
): readonly GraphQLField<unknown, unknown>[] {
  const fields = Object.values(type.getFields());
  if (type !== schema.getQueryType()) return fields;
  for (const [name, holder] of Object.entries(schema.getTypeMap())) {
    if (!name.startsWith(repeatedType) || !isObjectType(holder)) continue;
    fields.splice(Number(name.slice(repeatedType.length)), 0, ...Object.values(holder.getFields()));
  }
  return fields;
}

function inputObject(
  { name, description, type, defaultValue }: GraphQLArgument | GraphQLInputField,
  schema: GraphQLSchema,
): PlainObject {
  return {
    name,
    description: description ?? null,
    type: () => typeObject(type, schema),
    defaultValue: defaultText(defaultValue, type),
    ...current,
  };
}

/** A default value as GraphQL writes it; null without one. */
function defaultText(value: unknown, type: GraphQLInputType): string | null {
  const node = value === undefined ? undefined : astFromValue(value, type);
  return node ? print(node) : null;
}

function directiveObject(
  { name, description, locations, args }: GraphQLDirective,
  schema: GraphQLSchema,
): PlainObject {
  return {
    name,
    description: descriptions.has(name) ? null : (description ?? null),
    isRepeatable: false,
    locations,
    args: () =>
      args.map((argument) => ({
        ...inputObject(argument, schema),
        description: descriptions.has(name) ? null : (argument.description ?? null),
      })),
  };
}

/** The graphql package has its own descriptions of these. */
const descriptions = new Set(["skip", "include"]);

/** The string value of an argument. */
export function textArgument({ args }: SelectedField, name: string): string {
  const value = args.get(name);
  return value?.kind === "String" ? value.value : "";
}
