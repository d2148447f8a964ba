import type { EntityColumn, EntityTable } from "../../store/tables/layout.js";

/** The entity type of a table, as queries name it: `Swap`, or `PoolStats (hour)` for an aggregation. */
export function typeOf({ type, interval }: Pick<EntityTable, "type" | "interval">): string {
  return interval === undefined ? type : `${type} (${interval})`;
}

/** The type of a field as the schema writes it: `[Bytes!]!`. */
export function fieldType({ scalar, target = scalar, list, nonNull }: EntityColumn): string {
  return `${list ? `[${target}!]` : target}${nonNull ? "!" : ""}`;
}
