import { joinFragments, SQL, type SqlFragment } from "../../../store/database/database.js";
import { quoteName } from "../../../store/database/quote.js";
import type { AggregateFunction } from "../../definition/read-aggregates.js";

/** A column that groups are made of. */
export interface GroupColumn {
  readonly name: string;
  readonly sqlType: SqlFragment;
  /** Stands for null in an index of groups, where nulls would not be equal. Another expression tells the two apart. */
  readonly standIn: SqlFragment;
  /** Whether the type is another one than the rows have. */
  readonly isCast: boolean;
}

/** A column with an aggregate. */
export interface AggregateColumn {
  readonly name: string;
  readonly fn: AggregateFunction;
  /** The column that is aggregated; `undefined` for a count of rows. */
  readonly from: string | undefined;
  readonly sqlType: SqlFragment;
}

/** What a table of aggregates holds. */
export interface Aggregation {
  readonly groups: readonly GroupColumn[];
  readonly aggregates: readonly AggregateColumn[];
}

/**
 * Expressions that all are equal for rows of the same group only.
 * @param values of the columns of the group
 */
export function groupIdentity(
  groups: readonly GroupColumn[],
  values: readonly SqlFragment[],
): readonly SqlFragment[] {
  return groups.flatMap(({ sqlType, standIn }, index) => {
    const value = values[index] ?? SQL`null`;
    return [SQL`(coalesce(${value}, ${standIn}::${sqlType}))`, SQL`(${value} is null)`];
  });
}

/** The group of a row of the landing table `t`. */
export function groupOfRow(groups: readonly GroupColumn[]): readonly SqlFragment[] {
  return groups.map(({ name, sqlType, isCast }) =>
    isCast ? SQL`t.${quoteName(name)}::${sqlType}` : SQL`t.${quoteName(name)}`,
  );
}

/** Columns that keep what aggregates cannot be continued without. */
export const rowsColumn = SQL`graphloom_rows`;
export const staleColumn = SQL`graphloom_stale`;

/** Number of values that are not null. */
export function valuesColumn({ name }: AggregateColumn): SqlFragment {
  return quoteName(`graphloom_values_${name}`);
}

/** Their sum, before it is cast to the column's type. */
export function sumColumn({ name }: AggregateColumn): SqlFragment {
  return quoteName(`graphloom_sum_${name}`);
}

/** Whether an aggregate follows from sums, so that what is gone can be subtracted. */
export function isSum({ fn }: AggregateColumn): boolean {
  return fn === "sum" || fn === "avg";
}

/** Whether an aggregate must be looked for anew when its value is gone. */
export function isExtreme({ fn }: AggregateColumn): boolean {
  return fn === "min" || fn === "max";
}

/** An aggregate over rows of the landing table `t`, as SQL has it. */
export function aggregateOfRows({ fn, from, sqlType }: AggregateColumn): SqlFragment {
  if (from === undefined) return SQL`count(*)::${sqlType}`;
  const column = SQL`t.${quoteName(from)}`;
  if (fn === "count") return SQL`count(${column})::${sqlType}`;
  if (fn === "sum") return SQL`sum(${column}::numeric)::${sqlType}`;
  if (fn === "avg") return SQL`avg(${column}::numeric)::${sqlType}`;
  return fn === "min" ? SQL`min(${column})::${sqlType}` : SQL`max(${column})::${sqlType}`;
}

/** Joins conditions. */
export function all(conditions: readonly SqlFragment[]): SqlFragment {
  return joinFragments(conditions, SQL` and `);
}
