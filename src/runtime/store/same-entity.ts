import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";

/** Whether two entities have the same fields with the same values. */
export function sameEntity(a: Entity, b: Entity): boolean {
  if (a.size !== b.size) return false;
  for (const [name, value] of a) {
    const other = b.get(name);
    if (other === undefined || !sameValue(value, other)) return false;
  }
  return true;
}

/** Whether two values are of one kind and equal. */
export function sameValue(a: StoreValue, b: StoreValue): boolean {
  if (a.kind === "Array") {
    if (b.kind !== "Array" || a.value.length !== b.value.length) return false;
    return a.value.every((item, index) => {
      const other = b.value[index];
      return other !== undefined && sameValue(item, other);
    });
  }
  if (a.kind === "BigDecimal") {
    return (
      b.kind === "BigDecimal" && a.value.digits === b.value.digits && a.value.exponent === b.value.exponent
    );
  }
  if (a.kind === "Null" || b.kind === "Null") return a.kind === b.kind;
  return a.kind === b.kind && a.value === b.value;
}
