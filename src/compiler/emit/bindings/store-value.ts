import type { EntityField, Scalar } from "../../model/entity-model.js";

/** How a schema field is held: in AssemblyScript, and as the `Value` of the store. */
export interface StoreValue {
  /** `BigInt`, `Array<string>`; without `| null`. */
  readonly assemblyType: string;
  /** The end of `Value.from…` and `value.to…`. */
  readonly conversion: string;
  /** What an unset field reads as; absent for types that can be null. */
  readonly unset?: string;
}

const scalars: Record<Scalar, StoreValue> = {
  ID: { assemblyType: "string", conversion: "String" },
  String: { assemblyType: "string", conversion: "String" },
  Boolean: { assemblyType: "boolean", conversion: "Boolean", unset: "false" },
  Bytes: { assemblyType: "Bytes", conversion: "Bytes" },
  Int: { assemblyType: "i32", conversion: "I32", unset: "0" },
  BigInt: { assemblyType: "BigInt", conversion: "BigInt" },
  BigDecimal: { assemblyType: "BigDecimal", conversion: "BigDecimal" },
};

/** How a field that is stored is held. A reference is held as the id of the other entity. */
export function storeValue({ of, list }: EntityField): StoreValue {
  const element = scalars[of.kind === "scalar" ? of.name : "ID"];
  if (!list) return element;
  return { assemblyType: `Array<${element.assemblyType}>`, conversion: `${element.conversion}Array` };
}
