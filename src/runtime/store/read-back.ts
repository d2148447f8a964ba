import type { BigDecimal, Entity, EntityChange, StoreValue } from "../../subgraph/schema/entity.js";
import type { EntitySchema } from "../../subgraph/schema/entity-schema.js";
import { equal, normalized } from "../numbers/big-decimal.js";

/**
 * Writes as a store has to keep them, so that it gives back what graph-node's database would. Handlers of the block that
 * set a number see it as it was set; everybody after that sees it as it is read back.
 */
export type ReadBack = (changes: readonly EntityChange[]) => readonly EntityChange[];

/** What keeps writes of a schema. Types without decimals cost nothing. */
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

/** An entity as a database gives it back; the same one when that changes nothing. */
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

/** Whether a number may have kept more digits than it has once its zeros are written out. */
const isAffected = ({ digits, exponent }: BigDecimal): boolean => exponent > 0 && digits < 0n;

/** PostgreSQL has no exponents: the number comes back with its zeros, and is normalised with them. */
function writtenOut({ digits, exponent }: BigDecimal): BigDecimal {
  return normalized(digits * 10n ** BigInt(exponent), 0);
}
