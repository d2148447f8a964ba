import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from "graphql";
import { schemaObject } from "./answer/introspection.js";
import { plainObject } from "./answer/plain-value.js";
import { ApiSchema } from "./api/api-schema.js";
import { defaultLimits } from "./limits.js";
import { parseQuery } from "./request/parse-query.js";
import { readDocument } from "./request/read-document.js";

/**
 * The answer of a deployment to the introspection query that GraphQL tools send.
 * @param text the checked text of `schema.graphql`
 * @returns plain JSON, equal to the `data` that the engine answers
 */
export function introspectApi(text: string): IntrospectionQuery {
  const api = new ApiSchema(text);
  const query = parseQuery(getIntrospectionQuery(), defaultLimits);
  const data = readDocument(query, { variables: {} }, api, defaultLimits).map(({ key, selection }) => [
    key,
    selection && plainObject(schemaObject(api.schema), selection, "__Schema"),
  ]);
  return JSON.parse(JSON.stringify(Object.fromEntries(data)));
}

/**
 * The schema of a deployment's API in GraphQL's schema language, as tools print what introspection gives them.
 *
 * No document may repeat a directive or a field. Where the introspection does, only the first is printed.
 * @param text the checked text of `schema.graphql`
 */
export function printApiSchema(text: string): string {
  const { __schema: told } = introspectApi(text);
  const types = told.types.map((type) =>
    type.kind === "OBJECT" ? { ...type, fields: firstOfEach(type.fields) } : type,
  );
  const directives = firstOfEach(told.directives);
  return `${printSchema(buildClientSchema({ __schema: { ...told, types, directives } }))}\n`;
}

/** Keeps the first of each name, in order. */
function firstOfEach<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return all.filter(({ name }) => !seen.has(name) && seen.add(name));
}
