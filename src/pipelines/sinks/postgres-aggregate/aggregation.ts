import { joinFragments, SQL, type SqlFragment } from "../../../store/database/database.js";
import { quoteName } from "../../../store/database/quote.js";
import type { AggregateFunction } from "../../definition/read-aggregates.js";

/** A column to group by. */
export interface GroupColumn {
  readonly name: string;
  readonly sqlType: SqlFragment;
  /**
   * Stands for null in the index of groups, in which nulls would not be equal. A second expression distinguishes it
   * from null.
   */
  readonly standIn: SqlFragment;
  /** Whether the type differs from that in the rows. */
  readonly isCast: boolean;
}

/** A column with an aggregate. */
export interface AggregateColumn {
  readonly name: string;
  readonly fn: AggregateFunction;
  /** The aggregated column; `undefined` for a count of rows. */
  readonly from: string | undefined;
  readonly sqlType: SqlFragment;
}

/** The columns of a table of aggregates. */
export interface Aggregation {
  readonly groups: readonly GroupColumn[];
  readonly aggregates: readonly AggregateColumn[];
}

/**
 * Expressions that are all equal only for rows of the same group.
 * @param values the values of the group columns
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

/** Extra columns, without which aggregates could not be updated. */
export const rowsColumn = SQL`graphloom_rows`;
export const staleColumn = SQL`graphloom_stale`;

/** The column with the number of values that are not null. */
export function valuesColumn({ name }: AggregateColumn): SqlFragment {
  return quoteName(`graphloom_values_${name}`);
}

/** The column with their sum, before the cast to the aggregate's type. */
export function sumColumn({ name }: AggregateColumn): SqlFragment {
  return quoteName(`graphloom_sum_${name}`);
}

/** Whether an aggregate follows from sums, so that removed values can be subtracted. */
export function isSum({ fn }: AggregateColumn): boolean {
  return fn === "sum" || fn === "avg";
}

/** Whether an aggregate must be searched for again when its value is removed. */
export function isExtreme({ fn }: AggregateColumn): boolean {
  return fn === "min" || fn === "max";
}

/** An aggregate over rows of the landing table `t`, as SQL. */
export function aggregateOfRows({ fn, from, sqlType }: AggregateColumn): SqlFragment {
  if (from === undefined) return SQL`count(*)::${sqlType}`;
  const column = SQL`t.${quoteName(from)}`;
  if (fn === "count") return SQL`count(${column})::${sqlType}`;
  if (fn === "sum") return SQL`sum(${column}::numeric)::${sqlType}`;
  if (fn === "avg") return SQL`avg(${column}::numeric)::${sqlType}`;
  return fn === "min" ? SQL`min(${column})::${sqlType}` : SQL`max(${column})::${sqlType}`;
}

/** Joins conditions with `and`. */
export function all(conditions: readonly SqlFragment[]): SqlFragment {
  return joinFragments(conditions, SQL` and `);
}
