import { checkDeclarations } from "./check-declarations.js";
import { checkDerived } from "./check-derived.js";
import { checkColumns, checkFlags, checkSingleFields, checkWidths } from "./check-entities.js";
import { checkInterfaces } from "./check-interfaces.js";
import type { ReadSchema } from "./read-schema.js";

/**
 * Judges a schema as graph-node does at deployment. Existing deployments are read without this check.
 * @throws SchemaError, with the line, for a schema that graph-node refuses or that cannot be read
 */
export function judgeSchema({ document, entities }: ReadSchema): void {
  checkInterfaces(document);
  checkSingleFields(document);
  checkColumns(document);
  checkFlags(document);
  checkDerived(document);
  checkWidths(document, entities);
  checkDeclarations(document);
}
