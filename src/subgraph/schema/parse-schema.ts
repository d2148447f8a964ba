import { type DocumentNode, parse } from "graphql";
import { isUnexpected } from "../../base/text/message-of.js";
import { SchemaError } from "./entity-schema.js";

/** Something with a place in a schema. */
interface Placed {
  readonly loc?: { readonly startToken: { readonly line: number } } | undefined;
  /** The name's place is preferred, because a description may precede it. */
  readonly name?: Placed;
}

/**
 * Parses a schema.
 * @param text contents of `schema.graphql`
 * @throws SchemaError for text that is not GraphQL
 */
export function parseSchema(text: string): DocumentNode {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof Error) || isUnexpected(error)) throw error;
    throw new SchemaError(`the schema is not GraphQL: ${error.message}`, { cause: error });
  }
}

/** Adds the line of the schema to a message. */
export function inLine(node: Placed, message: string): string {
  const line = (node.name?.loc ?? node.loc)?.startToken.line;
  return line === undefined ? message : `${message} (line ${line} of the schema)`;
}

/** An error in a schema, with its line. */
export function schemaError(node: Placed, message: string): SchemaError {
  return new SchemaError(inLine(node, message));
}
