import type { Report } from "../diagnostics/report.js";
import { childPointer } from "../source/source.js";
import { toPlain } from "../source/to-plain.js";
import type { TreeNode } from "../source/tree.js";
import { validator } from "./schema-validator.js";
import { translateViolations } from "./translate-ajv.js";

/** JSON pointers of the values that violate the schema, themselves or by their names. */
export type Violations = ReadonlySet<string>;

/** Validates a configuration against the schema and reports each violation once. */
export function checkSchema(config: TreeNode, report: Report): Violations {
  if (validator(toPlain(config))) return new Set();
  const errors = validator.errors ?? [];
  translateViolations(errors, config, report);
  return new Set(
    errors.map(({ instancePath, propertyName }) =>
      propertyName === undefined ? instancePath : childPointer(instancePath, propertyName),
    ),
  );
}
