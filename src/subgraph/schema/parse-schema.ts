import { type DocumentNode, parse } from "graphql";
import { SchemaError } from "./entity-schema.js";

/** What has a place in a schema. */
interface Placed {
  readonly loc?: { readonly startToken: { readonly line: number } } | undefined;
  /** Of a definition with a description, the place of its name is meant. */
  readonly name?: Placed;
}

/**
 * Parses a schema.
 * @param text of `schema.graphql`
 * @throws SchemaError for text that is not GraphQL
 */
export function parseSchema(text: string): DocumentNode {
  try {
    return parse(text);
  } catch (error) {
    throw new SchemaError(`the schema is not GraphQL: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

/** A message with the line of the schema that it is about. */
export function inLine(node: Placed, message: string): string {
  const line = (node.name?.loc ?? node.loc)?.startToken.line;
  return line === undefined ? message : `${message} (line ${line} of the schema)`;
}

/** What is wrong in a schema, with its line. */
export function schemaError(node: Placed, message: string): SchemaError {
  return new SchemaError(inLine(node, message));
}
