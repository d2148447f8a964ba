import { checkDeclarations } from "./check-declarations.js";
import { checkDerived } from "./check-derived.js";
import { checkFlags, checkSingleFields, checkWidths } from "./check-entities.js";
import { checkInterfaces } from "./check-interfaces.js";
import type { ReadSchema } from "./read-schema.js";

/**
 * Judges a schema as graph-node does when it is deployed. What was deployed before is read without that.
 * @throws SchemaError, with its line, for what graph-node refuses, and for what cannot be read
 */
export function judgeSchema({ document, entities }: ReadSchema): void {
  checkInterfaces(document);
  checkSingleFields(document);
  checkFlags(document);
  checkDerived(document);
  checkWidths(document, entities);
  checkDeclarations(document);
}
