import type { DocumentNode } from "graphql";
import { checkDeclarations } from "./check-declarations.js";
import { checkDerived } from "./check-derived.js";
import { checkFlags, checkSingleFields, checkWidths } from "./check-entities.js";
import { checkInterfaces } from "./check-interfaces.js";
import type { EntitySchema } from "./entity-schema.js";
import { parseSchema } from "./parse-schema.js";
import { readEntitySchema } from "./read-entity-schema.js";
import { schemaWarnings } from "./schema-warnings.js";

/** What there is to say of a schema that is deployed. */
export interface JudgedSchema {
  readonly schema: EntitySchema;
  /** Parts of it that come to nothing, or to a failure: each a sentence that says when. */
  readonly warnings: readonly string[];
}

/**
 * Judges a schema as graph-node does when it is deployed. What was deployed before is read without that.
 * @param text of `schema.graphql`
 * @throws SchemaError, with its line, for what graph-node refuses, and for what cannot be read
 */
export function judgeSchema(text: string): JudgedSchema {
  const document: DocumentNode = parseSchema(text);
  checkInterfaces(document);
  const schema = readEntitySchema(text);
  checkSingleFields(document);
  checkFlags(document);
  checkDerived(document);
  checkWidths(document, schema);
  checkDeclarations(document);
  return { schema, warnings: schemaWarnings(document) };
}
