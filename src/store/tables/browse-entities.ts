import { cell } from "../database/columns.js";
import { joinFragments, type Row, SQL, type Sql, type SqlFragment } from "../database/database.js";
import { Parameters } from "../database/parameters.js";
import { quoteName, quoteNames, quoteText } from "../database/quote.js";
import { checkKept } from "./kept-history.js";
import type { EntityColumn, EntityTable, Layout } from "./layout.js";
import { type RowFilter, rowFilterSql } from "./row-filter.js";
import { versionsSql } from "./versions-sql.js";

/** Selects some of the entities of a type at a block. */
export interface EntitySelection {
  /** The deployment's number in the catalog; `undefined` for tables of another program, whose history is unknown. */
  readonly deployment: number | undefined;
  readonly block: number;
  /** All of them apply. */
  readonly filters: readonly RowFilter[];
  /** By default, what was written last comes first. */
  readonly order?: RowOrder | undefined;
  /** The position of the first row; by default, the first row of all. */
  readonly from?: RowPosition | undefined;
  /** The most rows. */
  readonly limit: number;
  /** The most characters of a value, or of each item of a list. One more is read, so that the caller sees the cut. */
  readonly longest: number;
  /** The most items of a list. One more is read. Without it, the text of a whole list is cut like other values. */
  readonly items?: number | undefined;
}

/** An order of rows. Rows with the same value are ordered by when they were written, and missing values come last. */
export interface RowOrder {
  readonly column: EntityColumn;
  readonly isDescending: boolean;
}

/** After or before the row with a vid, or the last rows. */
export type RowPosition = { readonly after: bigint } | { readonly before: bigint } | "last";

/** Some of the entities, and whether there are others around them. */
export interface EntityPage {
  readonly rows: readonly EntityRow[];
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
}

/** The version of an entity that is valid at a block. */
export interface EntityRow {
  readonly vid: bigint;
  /** The block in which it was written. */
  readonly begins: number;
  /** By column name, in the database's text form. */
  readonly values: Row;
}

/**
 * Reads entities at a block. An order or a filter without an index reads the whole table, so run it in a
 * transaction with a time limit.
 * @throws DatabaseError also for a block before the kept history
 */
export async function browseEntities(
  sql: Sql,
  { namespace }: Layout,
  table: EntityTable,
  selection: EntitySelection,
): Promise<EntityPage> {
  const { deployment, block, filters, order, from, limit, longest, items } = selection;
  const parameters = new Parameters();
  const name = quoteNames(namespace, table.name);
  const versions = versionsSql(table, "t");
  const isBackward = from === "last" || (from !== undefined && "before" in from);
  const cursor = typeof from === "object" ? await readCursor(sql, name, order, from) : undefined;
  const conditions = [
    versions.visibleAt(parameters.bind(String(block), SQL`integer`)),
    ...filters.map((filter) => rowFilterSql(filter, SQL`t`, parameters)),
    ...(cursor ? [beyond(order, cursor, isBackward, parameters)] : []),
  ];
  const values = valuesJson(table, { longest, items });
  const rows = await sql.query(
    SQL`select t.vid, ${versions.begins} as begins, ${values} as row from ${name} t
      where ${joinFragments(conditions, SQL` and `)}
      order by ${orderSql(order, isBackward)} limit ${parameters.bind(String(limit + 1), SQL`integer`)}`,
    parameters.values,
  );
  if (deployment !== undefined) await checkKept(sql, deployment, block);
  const hasMore = rows.length > limit;
  const shown = rows.slice(0, limit).map(entityRow);
  return isBackward
    ? { rows: shown.reverse(), hasBefore: hasMore, hasAfter: cursor !== undefined }
    : { rows: shown, hasBefore: cursor !== undefined, hasAfter: hasMore };
}

/** A version as JSON, with long values cut. */
export function valuesJson(
  { columns }: EntityTable,
  { longest, items }: Pick<EntitySelection, "longest" | "items">,
): SqlFragment {
  const names = SQL`${columns.map(({ name }) => quoteText(name))}`;
  const values = columns.map(({ name, list }) => {
    const value = SQL`t.${quoteName(name)}`;
    if (!list || items === undefined) return SQL`left(${value}::text, ${longest + 1})`;
    const item = SQL`left(i.v::text, ${longest + 1})`;
    return SQL`case when ${value} is not null then array(select ${item}
      from unnest(${value}[1:${items + 1}]) with ordinality i(v, n) order by i.n)::text end`;
  });
  return SQL`jsonb_object(array[${names}], array[${values}])`;
}

/** Reads a row of `vid`, `begins` and `row`. */
export function entityRow(row: Row): EntityRow {
  const { vid, begins } = row;
  return { vid: BigInt(vid ?? 0), begins: Number(begins), values: JSON.parse(cell(row, "row")) as Row };
}

/** A row that others are compared with. */
interface Cursor {
  readonly vid: bigint;
  /** In the database's text form; null also when rows are ordered by when they were written. */
  readonly value: string | null;
}

/** @returns undefined when the row no longer exists, because it was pruned or reverted */
async function readCursor(
  sql: Sql,
  name: SqlFragment,
  order: RowOrder | undefined,
  from: Exclude<RowPosition, "last">,
): Promise<Cursor | undefined> {
  const vid = "after" in from ? from.after : from.before;
  if (!order) return { vid, value: null };
  const value = SQL`t.${quoteName(order.column.name)}::text`;
  const [row] = await sql.query(SQL`select ${value} as value from ${name} t where vid = $1::bigint`, [
    String(vid),
  ]);
  return row && { vid, value: row.value ?? null };
}

/** The condition that a row comes after another one, or before it when paging back. */
function beyond(
  order: RowOrder | undefined,
  { vid, value }: Cursor,
  isBackward: boolean,
  parameters: Parameters,
): SqlFragment {
  const isRising = (order !== undefined && !order.isDescending) !== isBackward;
  const than = isRising ? SQL`>` : SQL`<`;
  const own = parameters.bind(String(vid), SQL`bigint`);
  if (!order) return SQL`t.vid ${than} ${own}`;
  const { name, sqlType } = order.column;
  const column = SQL`t.${quoteName(name)}`;
  // Missing values come last, and first on the way back.
  if (value === null) {
    const sameSide = SQL`t.vid ${than} ${own}`;
    return isBackward
      ? SQL`(${column} is not null or ${sameSide})`
      : SQL`(${column} is null and ${sameSide})`;
  }
  const further = SQL`(${column}, t.vid) ${than} (${parameters.bind(value, sqlType)}, ${own})`;
  return isBackward || order.column.nonNull ? further : SQL`(${further} or ${column} is null)`;
}

function orderSql(order: RowOrder | undefined, isBackward: boolean): SqlFragment {
  const isRising = (order !== undefined && !order.isDescending) !== isBackward;
  const direction = isRising ? SQL`asc` : SQL`desc`;
  if (!order) return SQL`t.vid ${direction}`;
  // Columns without missing values keep the order of their index.
  const nulls = order.column.nonNull ? SQL`` : isBackward ? SQL` nulls first` : SQL` nulls last`;
  return SQL`t.${quoteName(order.column.name)} ${direction}${nulls}, t.vid ${direction}`;
}
