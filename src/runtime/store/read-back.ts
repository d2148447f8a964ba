import type { BigDecimal, Entity, EntityChange, StoreValue } from "../../subgraph/schema/entity.js";
import type { EntitySchema } from "../../subgraph/schema/entity-schema.js";
import { equal, normalized } from "../numbers/big-decimal.js";

/**
 * Converts writes to what graph-node's database would return for them. Handlers of the same block see a number as it
 * was set. All later readers see it as the database returns it.
 */
export type ReadBack = (changes: readonly EntityChange[]) => readonly EntityChange[];

/** Creates the conversion for a schema. Types without decimals cost nothing. */
export function readBackOf({ types }: EntitySchema): ReadBack {
  const withDecimals = new Set<string>();
  for (const { name, stored } of types.values()) {
    if (stored.some(({ kind }) => kind === "BigDecimal")) withDecimals.add(name);
  }
  if (withDecimals.size === 0) return (changes) => changes;
  return (changes) =>
    changes.map((change) => {
      if (change.kind === "remove" || !withDecimals.has(change.type)) return change;
      return { ...change, entity: readBack(change.entity) };
    });
}

/** The entity as the database returns it; the same object when nothing changes. */
export function readBack(entity: Entity): Entity {
  let changed: Map<string, StoreValue> | undefined;
  for (const [name, value] of entity) {
    const kept = readBackValue(value);
    if (kept === value) continue;
    changed ??= new Map(entity);
    changed.set(name, kept);
  }
  return changed ?? entity;
}

function readBackValue(value: StoreValue): StoreValue {
  if (value.kind === "BigDecimal") {
    const kept = isAffected(value.value) ? writtenOut(value.value) : value.value;
    return equal(kept, value.value) ? value : { kind: "BigDecimal", value: kept };
  }
  if (value.kind !== "Array") return value;
  const items = value.value.map(readBackValue);
  return items.every((item, index) => item === value.value[index]) ? value : { kind: "Array", value: items };
}

/** Whether a number with its zeros written out may have more digits than it can keep. */
const isAffected = ({ digits, exponent }: BigDecimal): boolean => exponent > 0 && digits < 0n;

/** PostgreSQL has no exponents: the number is returned with its zeros, and normalized with them. */
function writtenOut({ digits, exponent }: BigDecimal): BigDecimal {
  return normalized(digits * 10n ** BigInt(exponent), 0);
}
