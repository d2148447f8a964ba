import { createRequire } from "node:module";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Report } from "../diagnostics/report.js";
import { toPlain } from "../source/to-plain.js";
import type { TreeNode } from "../source/tree.js";
import { translateViolations } from "./translate-ajv.js";

/** Where violations are: the pointers of the values that do not satisfy the schema. */
export type Violations = ReadonlySet<string>;

let compiled: ValidateFunction | undefined;

/** Compares a configuration with the schema that editors use too, and reports each violation once. */
export function checkSchema(config: TreeNode, report: Report): Violations {
  compiled ??= compile();
  if (compiled(toPlain(config))) return new Set();
  const errors = compiled.errors ?? [];
  translateViolations(errors, config, report);
  return new Set(errors.map((error) => error.instancePath));
}

/** The schema lies beside both `src` and `dist`, two folders up. */
function compile(): ValidateFunction {
  const schema = createRequire(import.meta.url)("../../schemas/config-v1.schema.json") as object;
  const ajv = new Ajv2020({ allErrors: true, verbose: true, ownProperties: true, strictTypes: false });
  ajv.addKeyword("errorMessage");
  return ajv.compile(schema);
}
