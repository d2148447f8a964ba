import type { EntityField, ScalarType } from "../../model/entity-model.js";

/** The representation of a schema field in AssemblyScript and as a `Value` of the store. */
export interface StoredForm {
  /** The type without `| null`: `BigInt`, `Array<string>`. */
  readonly assemblyType: string;
  /** The suffix of `Value.from…` and `value.to…`. */
  readonly conversion: string;
  /** The value of an unset field; absent for nullable types. */
  readonly unset?: string;
}

const scalars: Record<ScalarType, StoredForm> = {
  ID: { assemblyType: "string", conversion: "String" },
  String: { assemblyType: "string", conversion: "String" },
  Boolean: { assemblyType: "boolean", conversion: "Boolean", unset: "false" },
  Bytes: { assemblyType: "Bytes", conversion: "Bytes" },
  Int: { assemblyType: "i32", conversion: "I32", unset: "0" },
  BigInt: { assemblyType: "BigInt", conversion: "BigInt" },
  BigDecimal: { assemblyType: "BigDecimal", conversion: "BigDecimal" },
};

/** The representation of a stored field. A reference is the id of the other entity. */
export function storeValue({ of, list }: EntityField): StoredForm {
  const element = scalars[of.kind === "scalar" ? of.name : "ID"];
  if (!list) return element;
  return { assemblyType: `Array<${element.assemblyType}>`, conversion: `${element.conversion}Array` };
}
