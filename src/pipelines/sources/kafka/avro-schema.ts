import { isRecord } from "../../../base/text/json-value.js";

/** A type that values were written with. Records and unions may contain themselves. */
export type AvroType =
  | { readonly kind: "null" | "boolean" | "int" | "long" | "float" | "double" | "bytes" | "string" }
  | { readonly kind: "record"; readonly fields: { readonly name: string; readonly type: AvroType }[] }
  | { readonly kind: "enum"; readonly symbols: readonly string[] }
  | { readonly kind: "array" | "map"; readonly of: AvroType }
  | { readonly kind: "union"; readonly branches: readonly AvroType[] }
  | { readonly kind: "fixed"; readonly size: number }
  /** Whole numbers of a unit of time since 1970, as a multiple of microseconds. */
  | { readonly kind: "time"; readonly of: AvroType; readonly numerator: bigint; readonly denominator: bigint }
  /** A whole number with its sign, in bytes. */
  | { readonly kind: "decimal"; readonly of: AvroType; readonly scale: number };

/** A schema that cannot be understood. The text continues a sentence that begins with the schema. */
export class AvroSchemaError extends Error {
  override readonly name = "AvroSchemaError";
}

const simple = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"] as const;
type Simple = (typeof simple)[number];
/** Schemas within each other, and digits after the point of a decimal. */
const [deepest, mostDigits] = [64, 500];
/** Bytes of a fixed type. */
const mostBytes = 65_536;

/** Reads a schema from its JSON. @throws AvroSchemaError */
export function readAvroSchema(schema: unknown): AvroType {
  return new SchemaReader().read(schema, "", 0);
}

class SchemaReader {
  readonly #named = new Map<string, AvroType>();

  read(schema: unknown, space: string, depth: number): AvroType {
    if (depth > deepest) throw new AvroSchemaError("has too many levels");
    if (typeof schema === "string") return this.#byName(schema, space);
    if (Array.isArray(schema))
      return { kind: "union", branches: schema.map((one) => this.read(one, space, depth + 1)) };
    if (!isRecord(schema)) throw new AvroSchemaError("has a type that is not a text, a list or an object");
    const { type } = schema;
    switch (type) {
      case "record":
        return this.#record(schema, space, depth);
      case "enum": {
        const { symbols } = schema;
        if (!isTexts(symbols)) throw new AvroSchemaError("has an enum without symbols");
        return this.#name(schema, space, { kind: "enum", symbols });
      }
      case "fixed": {
        const { size } = schema;
        if (!isCount(size, mostBytes)) throw new AvroSchemaError("has a fixed type without a size");
        return logical(schema, this.#name(schema, space, { kind: "fixed", size }));
      }
      case "array":
        return { kind: "array", of: this.read(schema.items, space, depth + 1) };
      case "map":
        return { kind: "map", of: this.read(schema.values, space, depth + 1) };
      default:
        return logical(schema, this.read(type, space, depth + 1));
    }
  }

  #record(schema: Readonly<Record<string, unknown>>, space: string, depth: number): AvroType {
    const fields: { readonly name: string; readonly type: AvroType }[] = [];
    const inner = spaceOf(schema, space);
    const record = this.#name(schema, space, { kind: "record", fields });
    const given = schema.fields;
    if (!Array.isArray(given)) throw new AvroSchemaError("has a record without fields");
    for (const field of given) {
      if (!isRecord(field) || typeof field.name !== "string")
        throw new AvroSchemaError("has a field without a name");
      fields.push({ name: field.name, type: this.read(field.type, inner, depth + 1) });
    }
    return record;
  }

  #name(schema: Readonly<Record<string, unknown>>, space: string, type: AvroType): AvroType {
    const { name } = schema;
    if (typeof name !== "string") throw new AvroSchemaError("has a type without a name");
    this.#named.set(fullName(name, spaceOf(schema, space)), type);
    return type;
  }

  #byName(name: string, space: string): AvroType {
    if ((simple as readonly string[]).includes(name)) return { kind: name as Simple };
    const found = this.#named.get(fullName(name, space)) ?? this.#named.get(name);
    if (found) return found;
    throw new AvroSchemaError(`has a type ${JSON.stringify(name)} that it does not define`);
  }
}

function spaceOf({ name, namespace }: Readonly<Record<string, unknown>>, space: string): string {
  if (typeof name === "string" && name.includes(".")) return name.slice(0, name.lastIndexOf("."));
  return typeof namespace === "string" ? namespace : space;
}

function fullName(name: string, space: string): string {
  return name.includes(".") || space === "" ? name : `${space}.${name}`;
}

/** What a type means. Unknown meanings are ignored, as the specification says. */
function logical({ logicalType, scale = 0 }: Readonly<Record<string, unknown>>, of: AvroType): AvroType {
  const time = (numerator: bigint, denominator = 1n): AvroType =>
    of.kind === "long" ? { kind: "time", of, numerator, denominator } : of;
  switch (logicalType) {
    case "timestamp-millis":
      return time(1_000n);
    case "timestamp-micros":
      return time(1n);
    case "timestamp-nanos":
      return time(1n, 1_000n);
    case "decimal":
      return (of.kind === "bytes" || of.kind === "fixed") && isCount(scale, mostDigits)
        ? { kind: "decimal", of, scale }
        : of;
    default:
      return of;
  }
}

function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
