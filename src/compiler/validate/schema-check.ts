import type { ErrorObject } from "ajv/dist/2020.js";
import type { Report } from "../diagnostics/report.js";
import type { LoadedAbi, LoadedProject } from "../load/loaded-project.js";
import { childPointer } from "../source/source.js";
import { toPlain } from "../source/to-plain.js";
import { validator } from "./schema-validator.js";
import { schemaOf } from "./shape/violation.js";
import { translateViolations } from "./translate-ajv.js";

/** JSON pointers of the values that violate the schema, themselves or by their names. */
export type Violations = ReadonlySet<string>;

/** Compares a configuration with the schema that editors also use, and reports each violation once. */
export function checkSchema(
  { config, abis }: Pick<LoadedProject, "config" | "abis">,
  report: Report,
): Violations {
  if (validator(toPlain(config))) return new Set();
  const errors = (validator.errors ?? []).filter((error) => !isForEditors(error));
  translateViolations(errors, config, (abi) => functionsIn(abis.get(abi)), report);
  return new Set(
    errors.map(({ instancePath, propertyName }) =>
      propertyName === undefined ? instancePath : childPointer(instancePath, propertyName),
    ),
  );
}

function isForEditors(error: ErrorObject): boolean {
  const part = schemaOf(error);
  return (error.keyword === "propertyNames" ? part.propertyNames : part)?.editorOnly === true;
}

/** The names of an ABI's functions, before it is validated. */
function functionsIn(abi: LoadedAbi | undefined): ReadonlySet<string> {
  const names = (abi?.entries ?? []).flatMap((entry) => {
    if (typeof entry !== "object" || entry === null || !("type" in entry) || !("name" in entry)) return [];
    return entry.type === "function" && typeof entry.name === "string" ? [entry.name] : [];
  });
  return new Set(names);
}
