import type { EntityColumn, EntityTable } from "../../store/tables/layout.js";

/** What queries call the entities of a table: `Swap`, or `PoolStats (hour)` of an aggregation. */
export function typeOf({ type, interval }: Pick<EntityTable, "type" | "interval">): string {
  return interval === undefined ? type : `${type} (${interval})`;
}

/** The type of a field as the schema writes it: `[Bytes!]!`. */
export function fieldType({ scalar, target = scalar, list, nonNull }: EntityColumn): string {
  return `${list ? `[${target}!]` : target}${nonNull ? "!" : ""}`;
}

/** A value as people read it. @param text in the database's form; null where there is none */
export function shownValue({ codec }: EntityColumn, text: string | null): string {
  return text === null ? "null" : codec.shown(text);
}
