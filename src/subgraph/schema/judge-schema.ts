import { checkDeclarations } from "./check-declarations.js";
import { checkDerived } from "./check-derived.js";
import { checkFlags, checkSingleFields, checkWidths } from "./check-entities.js";
import { checkInterfaces } from "./check-interfaces.js";
import type { EntitySchema } from "./entity-schema.js";
import { parseSchema } from "./parse-schema.js";
import { readEntitySchema } from "./read-entity-schema.js";

/**
 * Reads a schema, and judges it as graph-node does when it is deployed. What was deployed before is read without that.
 * @param text of `schema.graphql`
 * @throws SchemaError, with its line, for what graph-node refuses, and for what cannot be read
 */
export function judgeSchema(text: string): EntitySchema {
  const document = parseSchema(text);
  checkInterfaces(document);
  const schema = readEntitySchema(text);
  checkSingleFields(document);
  checkFlags(document);
  checkDerived(document);
  checkWidths(document, schema);
  checkDeclarations(document);
  return schema;
}
