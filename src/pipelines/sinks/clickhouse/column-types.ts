import type { ValueType } from "../../changes/schema.js";
import type { ClickHouseForm, ClickHouseType } from "../../definition/clickhouse-type.js";

/** The types of new columns. UInt256 cannot hold negative numbers, which are refused. */
export const columnTypes: Readonly<Record<ValueType, string>> = {
  STRING: "String",
  JSON: "String",
  LONG: "Int64",
  DOUBLE: "Float64",
  DECIMAL: "UInt256",
  NUMERIC: "String",
  BOOLEAN: "Bool",
  TIMESTAMP: "DateTime64(6, 'UTC')",
  "ARRAY<STRING>": "Array(String)",
};

/** Whether values of a type can be written into a column. Each value is checked when it is written. */
export function accepts({ form }: ClickHouseType, type: ValueType): boolean {
  return accepted[type].includes(form.kind);
}

const accepted: Readonly<Record<ValueType, readonly ClickHouseForm["kind"][]>> = {
  STRING: ["string", "fixed", "integer", "decimal"],
  JSON: ["string"],
  LONG: ["integer", "decimal", "string", "float", "datetime", "datetime64"],
  DOUBLE: ["float", "string"],
  DECIMAL: ["integer", "decimal", "string", "float"],
  NUMERIC: ["decimal", "integer", "string", "float"],
  BOOLEAN: ["bool", "string"],
  TIMESTAMP: ["datetime64", "datetime", "string"],
  "ARRAY<STRING>": ["strings", "string"],
};

/**
 * Whether an existing column is as wide as a new column for a type, so that no value is cut or rounded. A column of 256 bits
 * is wide enough with or without a sign.
 */
export function holds({ form }: ClickHouseType, type: ValueType): boolean {
  switch (type) {
    case "STRING":
    case "JSON":
    case "NUMERIC":
      return form.kind === "string";
    case "LONG":
      return (form.kind === "integer" && form.isSigned && form.bits >= 64) || isWideDecimal(form, 19);
    case "DOUBLE":
      return form.kind === "float" && form.bits === 64;
    case "DECIMAL":
      return form.kind === "string" || (form.kind === "integer" && form.bits === 256);
    case "BOOLEAN":
      return form.kind === "bool";
    case "TIMESTAMP":
      return form.kind === "datetime64" && form.scale === 6;
    case "ARRAY<STRING>":
      return form.kind === "strings";
  }
}

function isWideDecimal(form: ClickHouseForm, digits: number): boolean {
  return form.kind === "decimal" && form.digits - form.scale >= digits;
}
