import type { StoreValue } from "../../subgraph/schema/entity.js";

/** The ids that a reference or a list of references holds, as text. */
export function keysOf(value: StoreValue | undefined): readonly string[] {
  if (value === undefined || value.kind === "Null") return [];
  if (value.kind === "Array") return value.value.flatMap(keysOf);
  return value.kind === "BigDecimal" ? [] : [String(value.value)];
}
