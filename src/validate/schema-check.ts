import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Report } from "../diagnostics/report.js";
import { childPointer } from "../source/source.js";
import { toPlain } from "../source/to-plain.js";
import type { TreeNode } from "../source/tree.js";
import { configSchema } from "./schema.js";
import { translateViolations } from "./translate-ajv.js";

/** Where violations are: the pointers of the values that do not satisfy the schema, or whose names do not. */
export type Violations = ReadonlySet<string>;

let compiled: ValidateFunction | undefined;

/** Compares a configuration with the schema that editors use too, and reports each violation once. */
export function checkSchema(config: TreeNode, report: Report): Violations {
  compiled ??= compile();
  if (compiled(toPlain(config))) return new Set();
  const errors = compiled.errors ?? [];
  translateViolations(errors, config, report);
  return new Set(
    errors.map(({ instancePath, propertyName }) =>
      propertyName === undefined ? instancePath : childPointer(instancePath, propertyName),
    ),
  );
}

function compile(): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, ownProperties: true, strictTypes: false });
  // The last two speak to editors alone.
  ajv.addVocabulary(["errorMessage", "defaultSnippets", "doNotSuggest"]);
  return ajv.compile(configSchema);
}
