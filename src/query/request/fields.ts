import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from "graphql";

/** Introspection fields that graph-node lacks. */
const unknown: ReadonlySet<string> = new Set(["__Type.isOneOf"]);

/** The definition of a field of an object type or interface. */
export function fieldOf(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
  return unknown.has(`${type.name}.${name}`) ? undefined : type.getFields()[name];
}

/** The names of a type's possible object types. */
export function concreteTypes(schema: GraphQLSchema, type: GraphQLNamedType): readonly string[] {
  if (isInterfaceType(type)) return schema.getPossibleTypes(type).map(({ name }) => name);
  return [type.name];
}
