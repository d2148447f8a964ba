import { isNode } from "../sql/syntax-tree.js";
import { type IntegerForm, widest } from "./column-types.js";

/** The types of DuckDB that Flink also has. */
const types: Readonly<Record<string, string>> = {
  BOOLEAN: "BOOLEAN",
  TINYINT: "TINYINT",
  SMALLINT: "SMALLINT",
  INTEGER: "INT",
  BIGINT: "BIGINT",
  HUGEINT: widest,
  FLOAT: "FLOAT",
  DOUBLE: "DOUBLE",
  VARCHAR: "STRING",
  DATE: "DATE",
  TIMESTAMP: "TIMESTAMP(6)",
  "TIMESTAMP WITH TIME ZONE": "TIMESTAMP_LTZ(6)",
};

/** The name in Flink's SQL for a type in a syntax tree; `undefined` if Flink has none. */
export function flinkType(type: unknown, integers: IntegerForm): string | undefined {
  if (!isNode(type) || typeof type.id !== "string") return undefined;
  const about = isNode(type.type_info) ? type.type_info : {};
  if (about.alias !== undefined) return undefined;
  if (type.id === "BIGNUM") return integers === "decimal" ? widest : "STRING";
  if (type.id === "DECIMAL") return `DECIMAL(${Number(about.width ?? 18)}, ${Number(about.scale ?? 0)})`;
  if (type.id === "LIST") {
    const item = flinkType(about.child_type, integers);
    return item && `ARRAY<${item}>`;
  }
  return types[type.id];
}
