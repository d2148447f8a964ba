import { literal, quoted } from "../../../base/text/sql-quotes.js";
import type { ColumnLimit } from "../../changes/stored-rows.js";

/** A condition that is true for rows with values within limits. */
export function withinSql(limits: readonly ColumnLimit[]): string {
  const conditions = limits.flatMap(({ name, isFilled, range }) => {
    const column = quoted(name);
    return [
      ...(isFilled ? [`${column} IS NOT NULL`] : []),
      ...(range ? [`coalesce(${inRange(column, range)}, true)`] : []),
    ];
  });
  return conditions.length === 0 ? "true" : conditions.join(" AND ");
}

/** Integers are decimal digits without leading zeros, so a longer one is larger. */
function inRange(column: string, { low, high }: NonNullable<ColumnLimit["range"]>): string {
  const negative = low < 0n ? isUpTo(column, low) : "false";
  return `CASE WHEN starts_with(${column}, '-') THEN ${negative} ELSE ${isUpTo(column, high)} END`;
}

/** Whether a value of the same sign is not further from zero. */
function isUpTo(column: string, limit: bigint): string {
  const text = String(limit);
  return `(strlen(${column}) < ${text.length} OR (strlen(${column}) = ${text.length} AND ${column} <= ${literal(text)}))`;
}
