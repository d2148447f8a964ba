import type { Report } from "../diagnostics/report.js";
import { childPointer } from "../source/source.js";
import { toPlain } from "../source/to-plain.js";
import type { TreeNode } from "../source/tree.js";
import { validator } from "./schema-validator.js";
import { translateViolations } from "./translate-ajv.js";

/** Where violations are: the pointers of the values that do not satisfy the schema, or whose names do not. */
export type Violations = ReadonlySet<string>;

/** Compares a configuration with the schema that editors use too, and reports each violation once. */
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
