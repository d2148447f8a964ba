import { present } from "../../base/invariant.js";
import { joinFragments, SQL, type SqlFragment, uncheckedSql } from "../../store/database/database.js";
import { quoteName } from "../../store/database/quote.js";
import type { EntityColumn, EntityTable } from "../../store/tables/layout.js";
import { versionColumn } from "../../store/tables/versions-sql.js";
import { expressionSql } from "../../subgraph/schema/aggregate-expression.js";
import type { Aggregate, ModelType } from "../api/model.js";
import type { Scope } from "./condition-sql.js";
import { columnOf, columnSql, type Rows, visibleSql } from "./tables.js";

const seconds: Readonly<Record<string, number>> = { hour: 3600, day: 86_400 };

/** The rows of an aggregation, plus those of the current bucket, computed from its points. */
export function withCurrentSql(table: EntityTable, type: ModelType, scope: Scope): SqlFragment {
  const { tables, statement } = scope;
  const done: Rows = { table, alias: statement.alias() };
  const names = ["vid", versionColumn(table).name, ...table.columns.map(({ name }) => name)];
  const list = names.map((name) => columnSql(done, name));
  const closed = SQL`select ${list} from ${tables.name(table)} ${done.alias} where ${visibleSql(done, statement.block)}`;
  return SQL`(${closed} union all ${openSql(table, type, scope)})`;
}

/** A column of the open bucket. */
interface Cell {
  readonly column: EntityColumn;
  /** Computed from the points. */
  readonly computed: SqlFragment;
  /** Combined with earlier buckets, if it is cumulative. */
  readonly combined: SqlFragment;
}

/** One row for each combination of dimensions with points since the last closed bucket. */
function openSql(table: EntityTable, type: ModelType, scope: Scope): SqlFragment {
  const { tables, statement } = scope;
  const source = tables.of(present(type.aggregation, `${type.name} is not an aggregation`).source);
  const points: Rows = { table: source, alias: statement.alias() };
  const bucket: Rows = { table, alias: statement.alias() };
  const before: Rows = { table, alias: statement.alias() };
  const cells = table.columns.map((column) => cellOf(column, type, points, bucket, before));
  const dimensions = table.columns.filter(({ field }) => isDimension(type, field));
  const list = cells.map(({ combined }) => combined);
  return SQL`select ${columnSql(bucket, "vid")}, ${columnSql(bucket, versionColumn(table).name)}, ${list}
    from (${computedSql(cells, dimensions, points, bucket, scope)}) ${bucket.alias}
    left join lateral (${lastSql(dimensions, bucket, scope)}) ${before.alias} on true`;
}

function cellOf(column: EntityColumn, type: ModelType, points: Rows, bucket: Rows, before: Rows): Cell {
  const field = present(type.fields.get(column.field), `${type.name} lacks ${column.field}`);
  const { aggregate } = field;
  if (!aggregate) {
    const computed = dimensionSql(column, points, bucket.table);
    return { column, computed, combined: columnSql(bucket, column.name) };
  }
  const computed = aggregateSql(aggregate, column, points, type);
  return { column, computed, combined: combinedSql(aggregate, column, bucket, before) };
}

/** The aggregates of the points since the last closed bucket. */
function computedSql(
  cells: readonly Cell[],
  dimensions: readonly EntityColumn[],
  points: Rows,
  bucket: Rows,
  scope: Scope,
): SqlFragment {
  const group = dimensions.map(({ field }) => columnSql(points, columnOf(points.table, field).name));
  const list = [
    SQL`max(${columnSql(points, "vid")}) as "vid"`,
    SQL`max(${columnSql(points, versionColumn(points.table).name)}) as ${versionColumn(bucket.table).name}`,
    ...cells.map(({ column, computed }) => SQL`${computed} as ${quoteName(column.name)}`),
  ];
  // As with dimensions, no points mean no row.
  const grouped = group.length > 0 ? SQL`group by ${group}` : SQL`having count(*) > 0`;
  return SQL`select ${list} from ${scope.tables.name(points.table)} ${points.alias}
    where ${visibleSql(points, scope.statement.block)} and ${sinceSql(bucket.table, points, scope)} ${grouped}`;
}

/**
 * The last closed bucket with the same dimensions. A null dimension matches no earlier bucket, as when buckets are
 * closed: graph-node does not cumulate over nulls.
 */
function lastSql(
  dimensions: readonly EntityColumn[],
  bucket: Rows,
  { tables, statement }: Scope,
): SqlFragment {
  const last: Rows = { table: bucket.table, alias: statement.alias() };
  const same = dimensions.map(({ name }) => SQL`${columnSql(last, name)} = ${columnSql(bucket, name)}`);
  return SQL`select * from ${tables.name(last.table)} ${last.alias}
    where ${joinFragments([visibleSql(last, statement.block), ...same], SQL` and `)}
    order by ${columnSql(last, "timestamp")} desc limit 1`;
}

function isDimension(type: ModelType, field: string): boolean {
  return field !== "id" && field !== "timestamp" && !type.fields.get(field)?.aggregate;
}

/**
 * graph-node counts from one second after the end of the last bucket, whatever block is queried. At an earlier block
 * there is no current bucket.
 */
function sinceSql(table: EntityTable, points: Rows, { tables }: Scope): SqlFragment {
  const past = (seconds[table.interval ?? ""] ?? 0) + 1;
  const last = SQL`select max("timestamp") + interval '${past} s' from ${tables.name(table)}`;
  return SQL`${columnSql(points, "timestamp")} >= coalesce((${last}), '-infinity'::timestamptz)`;
}

function dimensionSql({ field }: EntityColumn, points: Rows, { interval = "" }: EntityTable): SqlFragment {
  const sql = columnSql(points, columnOf(points.table, field).name);
  if (field === "id") return SQL`max(${sql})`;
  if (field !== "timestamp") return sql;
  return SQL`max(date_bin(interval '${seconds[interval] ?? 0} s', ${sql}, timestamptz 'epoch'))`;
}

function aggregateSql(
  { fn, arg }: Aggregate,
  { field, sqlType }: EntityColumn,
  points: Rows,
  type: ModelType,
): SqlFragment {
  if (fn === "count") return SQL`count(*)::${sqlType}`;
  const place = `${type.name}.${field}`;
  const written = expressionSql(place, present(arg, `${place} aggregates nothing`), (name) => {
    const column = points.table.columns.find((candidate) => candidate.field === name);
    return column && columnSql(points, column.name);
  });
  const sql = uncheckedSql(written);
  const id = columnSql(points, "id");
  if (fn === "first") return SQL`(array_agg(${sql} order by ${id}))[1]::${sqlType}`;
  if (fn === "last") return SQL`(array_agg(${sql} order by ${id} desc))[1]::${sqlType}`;
  return SQL`${fn === "max" ? SQL`max` : fn === "min" ? SQL`min` : SQL`sum`}(${sql})::${sqlType}`;
}

/** An aggregate of the bucket, combined with earlier buckets if it is cumulative. */
function combinedSql(
  { fn, cumulative }: Aggregate,
  { name }: EntityColumn,
  bucket: Rows,
  before: Rows,
): SqlFragment {
  const [now, past] = [columnSql(bucket, name), columnSql(before, name)];
  if (!cumulative || fn === "last") return now;
  if (fn === "first") return SQL`coalesce(${past}, ${now})`;
  if (fn === "max" || fn === "min") return SQL`${fn === "max" ? SQL`greatest` : SQL`least`}(${past}, ${now})`;
  return SQL`coalesce(${past} + ${now}, ${past}, ${now})`;
}
