import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { apiSchemas } from "../../api/api-document.js";
import type { Schema } from "../../api/extension.js";
import { ownSchemas } from "../../api/own-schemas.js";

const base = "management-api";
/** RFC 3339, with a zone. */
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** Judges JSON as it is. */
const strict = createJudge(false);
/** Judges texts of addresses: numbers and the like are made of them first. */
const coercing = createJudge(true);

function createJudge(coerceTypes: boolean): Ajv2020 {
  const isDate = (text: string): boolean => dateTime.test(text) && !Number.isNaN(Date.parse(text));
  return new Ajv2020({ ...ownSchemas, allErrors: true, coerceTypes })
    .addFormat("date-time", isDate)
    .addSchema({ $id: base, components: { schemas: apiSchemas } });
}

/** What was compiled of a schema. */
const compiled = new WeakMap<Schema, ValidateFunction>();

/**
 * A validator of a JSON Schema, whose references lead into the contract. It is compiled when it is wanted for the first
 * time: a server would start later otherwise.
 * @param isOfTexts whether what is judged are the texts of an address, which are turned into what they mean
 */
export function judgeOf(schema: Schema, isOfTexts = false): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const made = (isOfTexts ? coercing : strict).compile(Object(absolute(schema)));
  compiled.set(schema, made);
  return made;
}

/** A part of a schema as it is read outside of the document. */
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
