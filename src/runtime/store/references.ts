import type { StoreValue } from "../../subgraph/schema/entity.js";

/** The ids a field refers to, as text. */
export function keysOf(value: StoreValue | undefined): readonly string[] {
  if (value === undefined || value.kind === "Null") return [];
  if (value.kind === "Array") return value.value.flatMap(keysOf);
  return value.kind === "BigDecimal" ? [] : [String(value.value)];
}
