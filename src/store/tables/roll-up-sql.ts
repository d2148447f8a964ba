import { expressionSql } from "../../subgraph/schema/aggregate-expression.js";
import type { Aggregate, Aggregation, EntitySchema } from "../../subgraph/schema/entity-schema.js";
import { joinFragments, SQL, type SqlFragment, uncheckedSql } from "../database/database.js";
import { quoteName, quoteNames } from "../database/quote.js";
import type { EntityColumn, EntityTable, Layout } from "./layout.js";
import { versionColumn, versionsSql } from "./versions-sql.js";

/** The SQL that computes the rows of an aggregation's table from the points of its timeseries. */
export interface RollUp {
  readonly table: EntityTable;
  /** The quoted names of the table and of the points' table. */
  readonly name: SqlFragment;
  readonly points: SqlFragment;
  /** SQL for the block that wrote a point `p`. */
  readonly pointBlock: SqlFragment;
  /** The length of a bucket. */
  readonly seconds: number;
  /**
   * The condition that a point `p` is not rolled up yet. A bucket with points always has rows, so the last row shows
   * how far roll-ups have come.
   */
  readonly isPending: SqlFragment;
  /**
   * Writes the rows of a bucket and returns the vids. `$1` is its start and `$2` the next bucket's start, both
   * timestamptz. `$3` is the block that writes it.
   */
  readonly insertion: SqlFragment;
}

const secondsOf: Readonly<Record<string, number>> = { hour: 3_600, day: 86_400 };

/** The roll-ups of a schema: hours before days, as in graph-node. */
export function rollUpsOf(schema: EntitySchema, { namespace, tables }: Layout): readonly RollUp[] {
  const rollUps = schema.aggregations.flatMap((aggregation) => {
    const source = tables.find(({ type }) => type === aggregation.source);
    if (!source) return [];
    return tables
      .filter(({ type, interval }) => type === aggregation.name && interval !== undefined)
      .map((table) => rollUpOf(aggregation, table, source, namespace));
  });
  return rollUps.sort((a, b) => a.seconds - b.seconds);
}

function rollUpOf(
  aggregation: Aggregation,
  table: EntityTable,
  source: EntityTable,
  namespace: string,
): RollUp {
  const name = quoteNames(namespace, table.name);
  const points = quoteNames(namespace, source.name);
  const seconds = secondsOf[table.interval ?? ""] ?? 0;
  const pointBlock = versionsSql(source, "p").begins;
  const last = SQL`(select max("timestamp") + interval '${seconds} s' from ${name})`;
  const isPending = SQL`p."timestamp" >= coalesce(${last}, '-infinity')`;
  return {
    table,
    name,
    points,
    pointBlock,
    seconds,
    isPending,
    insertion: insertionOf(aggregation, table, source, { name, points, pointBlock }),
  };
}

/** A column of the rows: its value over the points, and its value combined with earlier buckets. */
interface Cell {
  readonly column: SqlFragment;
  readonly computed: SqlFragment;
  readonly combined: SqlFragment;
}

function insertionOf(
  aggregation: Aggregation,
  table: EntityTable,
  source: EntityTable,
  { name, points, pointBlock }: Pick<RollUp, "name" | "points" | "pointBlock">,
): SqlFragment {
  const dimensions: SqlFragment[] = [];
  const cells: Cell[] = [];
  for (const column of table.columns) {
    const field = aggregation.fields.get(column.field);
    if (!field || column.field === "id" || column.field === "timestamp") continue;
    if (field.aggregate) cells.push(cellOf(`${table.type}.${field.name}`, field.aggregate, column, source));
    else dimensions.push(quoteName(column.name));
  }
  const isCumulative = [...aggregation.fields.values()].some(({ aggregate }) => aggregate?.cumulative);
  const columns = [...dimensions, ...cells.map(({ column }) => column)];
  const bucket = [SQL`max(p.id) as id`, ...dimensions.map((column) => SQL`p.${column}`)];
  const grouped = dimensions.map((column) => SQL`p.${column}`);
  const before = [
    SQL`o."timestamp" < $1::timestamptz`,
    ...dimensions.map((column) => SQL`o.${column} = b.${column}`),
  ];
  return SQL`insert into ${name} (${[SQL`id`, SQL`"timestamp"`, versionColumn(table).name, ...columns]})
    select ${[SQL`b.id`, SQL`$1::timestamptz`, SQL`$3::integer`, ...dimensions.map((column) => SQL`b.${column}`), ...cells.map(({ combined }) => combined)]}
    from (select ${[...bucket, ...cells.map(({ column, computed }) => SQL`${computed} as ${column}`)]}
      from ${points} p
      where p."timestamp" >= $1::timestamptz and p."timestamp" < $2::timestamptz and ${pointBlock} < $3::integer
      ${grouped.length === 0 ? SQL`having count(*) > 0` : SQL`group by ${grouped}`}) b
    ${isCumulative ? SQL`left join lateral (select * from ${name} o where ${joinFragments(before, SQL` and `)} order by o."timestamp" desc limit 1) o on true` : SQL``}
    order by b.id returning vid`;
}

function cellOf(
  place: string,
  { fn, arg, cumulative }: Aggregate,
  { name, sqlType }: EntityColumn,
  source: EntityTable,
): Cell {
  const column = quoteName(name);
  const of =
    arg === undefined ? SQL`*` : uncheckedSql(expressionSql(place, arg, (field) => columnFor(source, field)));
  return {
    column,
    computed: SQL`${computedBy(fn, of)}::${sqlType}`,
    combined: cumulative ? combinedBy(fn, SQL`o.${column}`, SQL`b.${column}`) : SQL`b.${column}`,
  };
}

function columnFor({ columns }: EntityTable, field: string): string | undefined {
  const column = columns.find((candidate) => candidate.field === field);
  return column && `p.${quoteName(column.name)}`;
}

function computedBy(fn: Aggregate["fn"], of: SqlFragment): SqlFragment {
  switch (fn) {
    case "count":
      return SQL`count(*)`;
    case "first":
      return SQL`(array_agg(${of} order by p.id))[1]`;
    case "last":
      return SQL`(array_agg(${of} order by p.id desc))[1]`;
    case "sum":
      return SQL`sum(${of})`;
    case "max":
      return SQL`max(${of})`;
    case "min":
      return SQL`min(${of})`;
  }
}

/** Combines the earlier value with the bucket's own; the earlier value is null for the first bucket. */
function combinedBy(fn: Aggregate["fn"], before: SqlFragment, now: SqlFragment): SqlFragment {
  switch (fn) {
    case "count":
    case "sum":
      return SQL`coalesce(${before} + ${now}, ${before}, ${now})`;
    case "max":
      return SQL`greatest(${before}, ${now})`;
    case "min":
      return SQL`least(${before}, ${now})`;
    case "first":
      return SQL`coalesce(${before}, ${now})`;
    case "last":
      return now;
  }
}
