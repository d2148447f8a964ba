import type { TypeText } from "./syntax.js";

/** The representation of a schema field in AssemblyScript and as a `Value` of the store. */
export interface StoredForm {
  /** The type without `| null`: `BigInt`, `Array<string>`. */
  readonly assemblyType: TypeText;
  /** The suffix of `value.to…`. */
  readonly read: string;
  /** The suffix of `Value.from…`. */
  readonly write: string;
  /** The value of an unset field; absent for types that can be null. */
  readonly unset?: string;
}

interface Scalar {
  readonly assemblyType: string;
  readonly conversion: string;
  readonly unset?: string;
}

const text: Scalar = { assemblyType: "string", conversion: "String" };

const scalars: ReadonlyMap<string, Scalar> = new Map(
  Object.entries({
    ID: text,
    String: text,
    Boolean: { assemblyType: "boolean", conversion: "Boolean", unset: "false" },
    Bytes: { assemblyType: "Bytes", conversion: "Bytes" },
    Int: { assemblyType: "i32", conversion: "I32", unset: "0" },
    Int8: { assemblyType: "i64", conversion: "I64", unset: "0" },
    Timestamp: { assemblyType: "i64", conversion: "Timestamp", unset: "0" },
    BigInt: { assemblyType: "BigInt", conversion: "BigInt" },
    BigDecimal: { assemblyType: "BigDecimal", conversion: "BigDecimal" },
  }),
);

/**
 * The representation of a stored field, as in graph-cli.
 * @param type in graph-cli's notation: `BigInt`, `[Bytes]`, `[[Int]]`. For a reference, the type of the other
 *   entity's id; any other name, such as an enum's, means text.
 * @param assemblyType for lists of lists and nullable items, which the notation cannot express
 */
export function storedForm(type: string, assemblyType?: TypeText): StoredForm {
  const depth = type.lastIndexOf("[") + 1;
  const { conversion, ...scalar } = scalars.get(type.slice(depth, type.length - depth)) ?? text;
  if (depth === 0) return { ...scalar, read: conversion, write: written(type, conversion) };
  const list = assemblyType ?? arrayOf(scalar.assemblyType);
  if (depth === 1)
    return { assemblyType: list, read: `${conversion}Array`, write: written(type, `${conversion}Array`) };
  // Lists of lists are written unchanged, but read as lists of texts. Deeper lists are always texts.
  return { assemblyType: list, read: "StringArray", write: `${depth === 2 ? conversion : "String"}Matrix` };
}

export function arrayOf(item: TypeText): TypeText {
  return { kind: "generic", name: "Array", argument: item };
}

/** graph-cli treats any type whose name contains "null" as a list of lists, unless it is a scalar of the schema. */
function written(type: string, usual: string): string {
  return type.includes("null") ? "StringMatrix" : usual;
}
