import { SQL, type SqlFragment } from "../../../store/database/database.js";
import { quoteName } from "../../../store/database/quote.js";
import {
  type AggregateColumn,
  type Aggregation,
  aggregateOfRows,
  groupIdentity,
  groupOfRow,
  isExtreme,
  isSum,
  rowsColumn,
  staleColumn,
  sumColumn,
  valuesColumn,
} from "./aggregation.js";

/** A column of the table of aggregates: its share for some rows, and how to merge a share into the group. */
interface Merged {
  readonly name: SqlFragment;
  /** Computed from rows of the landing table `t`. */
  readonly share: SqlFragment;
  /** Computed from the existing group `a` and the share, `excluded`. */
  readonly merged: SqlFragment;
}

/**
 * A statement that adds rows of the landing table to their groups, or subtracts them.
 * @param sign whether to add or subtract
 * @param which a condition on rows `t`
 * @returns a statement whose rows are the groups that may be empty now, and groups that lost their smallest or largest
 * value
 */
export function mergeGroups(
  { groups, aggregates }: Aggregation,
  tables: { readonly landing: SqlFragment; readonly aggregate: SqlFragment },
  sign: "plus" | "minus",
  which: SqlFragment,
): SqlFragment {
  const names = groups.map(({ name }) => quoteName(name));
  const values = groupOfRow(groups);
  const columns = [...counters(sign), ...aggregates.flatMap((column) => mergedColumns(column, sign))];
  const stale = { name: staleColumn, share: SQL`false`, merged: isStale(aggregates, sign) };
  const all = [...columns, stale];
  return SQL`with merged as (
      insert into ${tables.aggregate} as a (${[...names, ...all.map(({ name }) => name)]})
      select ${[...values, ...all.map(({ share }) => share)]} from ${tables.landing} t where ${which}
      group by ${values.map((_, index) => SQL`${index + 1}`)}
      on conflict (${groupIdentity(groups, names)}) do update set ${all.map(({ name, merged }) => SQL`${name} = ${merged}`)}
      returning *
    ) select ${names.map((name) => SQL`${name}::text as ${name}`)} from merged where ${rowsColumn} <= 0 or ${staleColumn}`;
}

function counters(sign: "plus" | "minus"): readonly Merged[] {
  return [added(rowsColumn, SQL`count(*)`, sign)];
}

function added(name: SqlFragment, of: SqlFragment, sign: "plus" | "minus"): Merged {
  return {
    name,
    share: sign === "plus" ? of : SQL`-${of}`,
    merged: SQL`a.${name} + excluded.${name}`,
  };
}

function mergedColumns(column: AggregateColumn, sign: "plus" | "minus"): readonly Merged[] {
  const name = quoteName(column.name);
  const share = aggregateOfRows(column);
  const values = valuesColumn(column);
  const count = added(
    values,
    column.from === undefined ? SQL`count(*)` : SQL`count(t.${quoteName(column.from)})`,
    sign,
  );
  const number = SQL`(a.${values} + excluded.${values})`;
  if (column.fn === "count") return [count, { name, share, merged: SQL`${number}::${column.sqlType}` }];
  if (isSum(column)) {
    const sum = sumColumn(column);
    const total = SQL`(a.${sum} + excluded.${sum})`;
    const of = SQL`coalesce(sum(t.${quoteName(column.from ?? "")}::numeric), 0)`;
    // The sum of no values is null, and so is the average.
    const whole = column.fn === "sum" ? SQL`${total}` : SQL`${total} / nullif(${number}, 0)`;
    const merged = SQL`(case when ${number} = 0 then null else ${whole} end)::${column.sqlType}`;
    return [count, added(sum, of, sign), { name, share, merged }];
  }
  if (sign === "minus") return [{ name, share, merged: SQL`a.${name}` }];
  const choose = column.fn === "min" ? SQL`least` : SQL`greatest`;
  return [{ name, share, merged: SQL`${choose}(a.${name}, excluded.${name})` }];
}

/** If the smallest value of a group is removed, only its other rows tell the next one. */
function isStale(aggregates: readonly AggregateColumn[], sign: "plus" | "minus"): SqlFragment {
  if (sign === "plus") return SQL`a.${staleColumn}`;
  return aggregates.filter(isExtreme).reduce((before, { name: text, fn }) => {
    const name = quoteName(text);
    const isGone = fn === "min" ? SQL`excluded.${name} <= a.${name}` : SQL`excluded.${name} >= a.${name}`;
    return SQL`${before} or coalesce(${isGone}, false)`;
  }, SQL`a.${staleColumn}`);
}
