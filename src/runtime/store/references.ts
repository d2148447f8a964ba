import type { StoreValue } from "../../subgraph/schema/entity.js";

/** The ids in a reference or a list of references, as strings. */
export function keysOf(value: StoreValue | undefined): readonly string[] {
  if (value === undefined || value.kind === "Null") return [];
  if (value.kind === "Array") return value.value.flatMap(keysOf);
  return value.kind === "BigDecimal" ? [] : [String(value.value)];
}
