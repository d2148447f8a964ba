import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { apiSchemas } from "../../api/api-document.js";
import type { Schema } from "../../api/extension.js";
import { ownSchemas } from "../../api/own-schemas.js";

const base = "management-api";
/** RFC 3339, with a zone. */
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** Validates JSON unchanged. */
const strict = createJudge(false);
/** Validates strings from URLs, after it converts them to numbers and the like. */
const coercing = createJudge(true);

function createJudge(coerceTypes: boolean): Ajv2020 {
  const isDate = (text: string): boolean => dateTime.test(text) && !Number.isNaN(Date.parse(text));
  return new Ajv2020({ ...ownSchemas, allErrors: true, coerceTypes })
    .addFormat("date-time", isDate)
    .addSchema({ $id: base, components: { schemas: apiSchemas } });
}

/** Compiled validators by schema. */
const compiled = new WeakMap<Schema, ValidateFunction>();

/**
 * A validator of a JSON Schema, whose references point into the contract. It is compiled on first use, so that the
 * server starts faster.
 * @param isOfTexts whether to validate strings from a URL, which are converted to the types of the schema
 */
export function judgeOf(schema: Schema, isOfTexts = false): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const made = (isOfTexts ? coercing : strict).compile(Object(absolute(schema)));
  compiled.set(schema, made);
  return made;
}

/** A part of a schema with references that resolve outside the document. */
function absolute(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map(absolute);
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name,
      name === "$ref" && typeof value === "string" ? base + value : absolute(value),
    ]),
  );
}
