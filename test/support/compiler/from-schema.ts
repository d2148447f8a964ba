import fc from "fast-check";

/** A JSON Schema, as far as the management API's description uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minProperties?: number;
}

/** Values that satisfy a schema. */
export function fromSchema(schema: Schema, schemas: Readonly<Record<string, Schema>>): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    return fromSchema(schemas[schema.$ref.replace("#/components/schemas/", "")] ?? {}, schemas);
  }
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? "object"].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, schemas)));
}

function ofType(
  type: string,
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
): fc.Arbitrary<unknown> {
  const { minimum: min = -1000, maximum: max = 1_000_000 } = schema;
  if (type === "null") return fc.constant(null);
  if (type === "boolean") return fc.boolean();
  if (type === "integer") return fc.integer({ min, max });
  if (type === "number") return fc.double({ min, max, noNaN: true });
  if (type === "array") return fc.array(fromSchema(schema.items ?? {}, schemas), { maxLength: 3 });
  if (type === "string") return text(schema);
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0)
    return fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue(), { maxKeys: 2 });
  const fields = Object.fromEntries(properties.map(([name, each]) => [name, fromSchema(each, schemas)]));
  return fc
    .record(fields, { requiredKeys: [...(schema.required ?? [])] })
    .filter((value) => Object.keys(value).length >= (schema.minProperties ?? 0));
}

function text({ pattern, format, minLength = 0, maxLength }: Schema): fc.Arbitrary<string> {
  if (format === "date-time") {
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") })
      .map((date) => date.toISOString());
  }
  if (pattern !== undefined) {
    // A pattern may ask for more than any usual length, such as a hash: only the schema's own limit counts.
    return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length <= (maxLength ?? length));
  }
  return fc.string({ minLength, maxLength: Math.min(maxLength ?? 30, 30) });
}
