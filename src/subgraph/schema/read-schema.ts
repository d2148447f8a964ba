import type { DocumentNode } from "graphql";
import type { EntitySchema } from "./entity-schema.js";
import { parseSchema } from "./parse-schema.js";
import { entitySchemaOf } from "./read-entity-schema.js";

/** A subgraph's schema, parsed once. */
export interface ReadSchema {
  /** Text of `schema.graphql`. */
  readonly text: string;
  /** The syntax tree. */
  readonly document: DocumentNode;
  readonly entities: EntitySchema;
}

/**
 * Reads a subgraph's schema.
 * @param text contents of `schema.graphql`
 * @throws SchemaError if it cannot be read or refers to something undefined
 */
export function readSchema(text: string): ReadSchema {
  const document = parseSchema(text);
  return { text, document, entities: entitySchemaOf(document) };
}
