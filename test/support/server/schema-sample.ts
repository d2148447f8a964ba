import { isRecord } from "../../../src/base/text/json-value.js";

type Schema = Readonly<Record<string, unknown>>;

/** A value that a JSON Schema allows, with all of its fields. @param schemas what references lead to, by name */
export function sampleOf(schema: unknown, schemas: Schema): unknown {
  if (!isRecord(schema)) return "text";
  const { $ref, const: fixed, enum: choices, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === "string") return sampleOf(schemas[$ref.split("/").at(-1) ?? ""], schemas);
  if (fixed !== undefined) return fixed;
  if (Array.isArray(choices)) return choices.find((choice) => choice !== null);
  const [first] = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (first !== undefined) return sampleOf(first, schemas);
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((part) => sampleOf(part, schemas)));
  const kind = [type].flat().find((one) => one !== "null");
  if (kind === "object") return sampleObject(schema, schemas);
  if (kind === "array") return schema.items === undefined ? [] : [sampleOf(schema.items, schemas)];
  if (kind === "number" || kind === "integer") return 1;
  if (kind === "boolean") return true;
  if (schema.format === "date-time") return "2026-01-02T03:04:05Z";
  return schema.format === "uri" ? "http://localhost/" : "text";
}

function sampleObject({ properties, additionalProperties }: Schema, schemas: Schema): unknown {
  const fields = Object.entries(isRecord(properties) ? properties : {});
  return {
    ...(isRecord(additionalProperties) && { other: sampleOf(additionalProperties, schemas) }),
    ...Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field, schemas)])),
  };
}

/** The same value with one place changed: for each place, something of another type, and nothing at all. */
export function* oddForms(value: unknown): Generator<unknown> {
  for (const odd of [null, 5, -1, "", "text", true, [], {}, [null], ["text"]])
    if (JSON.stringify(odd) !== JSON.stringify(value)) yield odd;
  if (Array.isArray(value))
    for (const [index, item] of value.entries())
      for (const odd of oddForms(item)) yield value.map((one, at) => (at === index ? odd : one));
  if (!isRecord(value)) return;
  for (const [name, field] of Object.entries(value)) {
    const { [name]: _, ...others } = value;
    yield others;
    for (const odd of oddForms(field)) yield { ...value, [name]: odd };
  }
}
