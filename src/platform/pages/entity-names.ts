import { parseArray } from "../../store/database/sql-array.js";
import type { EntityColumn, EntityTable } from "../../store/tables/layout.js";

/** What queries call the entities of a table: `Swap`, or `PoolStats (hour)` of an aggregation. */
export function typeOf({ type, interval }: Pick<EntityTable, "type" | "interval">): string {
  return interval === undefined ? type : `${type} (${interval})`;
}

/** The type of a field as the schema writes it: `[Bytes!]!`. */
export function fieldType({ scalar, target = scalar, list, nonNull }: EntityColumn): string {
  return `${list ? `[${target}!]` : target}${nonNull ? "!" : ""}`;
}

/** A value as queries answer it. @param text in the database's form; null where there is none */
export function shownValue({ list, sqlType }: EntityColumn, text: string | null): string {
  const shown = (item: string | null): string =>
    item === null ? "null" : sqlType === "bytea" ? item.replace(/^\\x/, "0x") : item;
  return list && text !== null ? parseArray(text).map(shown).join(", ") : shown(text);
}
