import { cell } from "../database/columns.js";
import { joinFragments, type Row, SQL, type Sql } from "../database/database.js";
import { quoteNames, quoteText } from "../database/quote.js";
import { checkKept } from "./kept-history.js";
import type { EntityTable, Layout } from "./layout.js";
import { rowJson } from "./row-json.js";
import { versionsSql } from "./versions-sql.js";

/** What there is of a table, as the database tells it. */
export interface TableFacts {
  readonly table: string;
  /** The entity type or aggregation in the GraphQL schema. */
  readonly type: string;
  /** How many versions are kept. */
  readonly rows: bigint;
  /** In the order of the table: those of the store's own first, then the fields. */
  readonly columns: readonly TableColumn[];
}

/** A column, with its type as the database names it: `numeric`, `text[]`. */
export interface TableColumn {
  readonly name: string;
  readonly dataType: string;
}

/** What there is of all tables of a deployment. @throws DatabaseError */
export async function tableFacts(sql: Sql, { namespace, tables }: Layout): Promise<readonly TableFacts[]> {
  if (tables.length === 0) return [];
  const counts = await sql.query(
    joinFragments(
      tables.map(
        ({ name }) =>
          SQL`select ${quoteText(name)} as name, count(*) as n from ${quoteNames(namespace, name)}`,
      ),
      SQL` union all `,
    ),
  );
  const rows = new Map(counts.map((row) => [cell(row, "name"), BigInt(cell(row, "n"))]));
  const found = await sql.query(
    SQL`select c.relname as table, a.attname as name,
        replace(format_type(a.atttypid, a.atttypmod), quote_ident($1::text) || '.', '') as type
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1::text and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      order by c.relname, a.attnum`,
    [namespace],
  );
  const columns = new Map<string, TableColumn[]>(tables.map(({ name }) => [name, []]));
  for (const row of found) {
    columns.get(cell(row, "table"))?.push({ name: cell(row, "name"), dataType: cell(row, "type") });
  }
  return tables.map(({ name, type }) => ({
    table: name,
    type,
    rows: rows.get(name) ?? 0n,
    columns: columns.get(name) ?? [],
  }));
}

/** How many entities there are now, by the names of their tables. @throws DatabaseError */
export async function entityCounts(
  sql: Sql,
  { namespace, tables }: Layout,
): Promise<ReadonlyMap<string, bigint>> {
  if (tables.length === 0) return new Map();
  const counts = tables.map(
    (table) =>
      SQL`select ${quoteText(table.name)} as name, count(*) as n from ${quoteNames(namespace, table.name)} t
        where ${versionsSql(table, "t").isCurrent}`,
  );
  const rows = await sql.query(joinFragments(counts, SQL` union all `));
  return new Map(rows.map((row) => [cell(row, "name"), BigInt(cell(row, "n"))]));
}

/** How many entities there are now, of all types together. @throws DatabaseError */
export async function countEntities(sql: Sql, layout: Layout): Promise<bigint> {
  const counts = await entityCounts(sql, layout);
  return [...counts.values()].reduce((sum, count) => sum + count, 0n);
}

/** What the tables of a deployment take, in bytes, and about how many rows they have: as texts, since it may be much. */
export interface TableSizes {
  readonly rowEstimate: string;
  readonly tableSize: string;
  readonly indexSize: string;
  readonly toastSize: string;
  readonly totalSize: string;
}

/** What the tables of a deployment take together. @throws DatabaseError */
export async function tableSizes(sql: Sql, { namespace }: Layout): Promise<TableSizes> {
  const [row] = await sql.query(
    SQL`select coalesce(sum(greatest(rows, 0)), 0)::bigint as rows, coalesce(sum(total), 0) as total,
        coalesce(sum(indexes), 0) as indexes, coalesce(sum(toast), 0) as toast
      from (select c.reltuples as rows, pg_total_relation_size(c.oid) as total, pg_indexes_size(c.oid) as indexes,
          case when c.reltoastrelid <> 0 then pg_total_relation_size(c.reltoastrelid) else 0 end as toast
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = $1::text and c.relkind = 'r') sizes`,
    [namespace],
  );
  const { rows, total, indexes, toast } = row ?? {};
  const table = BigInt(total ?? 0) - BigInt(indexes ?? 0) - BigInt(toast ?? 0);
  return {
    rowEstimate: rows ?? "0",
    tableSize: String(table),
    indexSize: indexes ?? "0",
    toastSize: toast ?? "0",
    totalSize: total ?? "0",
  };
}

/** Which part of a table's rows. */
export interface RowPage {
  /** The deployment's number in the catalog; `undefined` for tables of others, whose history is not known here. */
  readonly deployment: number | undefined;
  /** Those that are valid in the block. */
  readonly block: number;
  /** Those that come after a vid; from the first one when it is left out. */
  readonly after?: bigint;
  readonly limit: number;
}

/**
 * Entities at a block, by vid: vid and fields by the names of columns.
 * @throws DatabaseError also for a block before the history that is kept
 */
export async function rowsAt(
  sql: Sql,
  { namespace }: Layout,
  table: EntityTable,
  { deployment, block, after = -1n, limit }: RowPage,
): Promise<readonly Row[]> {
  const rows = await sql.query(
    SQL`select ${rowJson(table, SQL`t`)} as row from ${quoteNames(namespace, table.name)} t
      where ${versionsSql(table, "t").visibleAt(SQL`$1::integer`)} and t.vid > $2::bigint order by t.vid limit $3::integer`,
    [String(block), String(after), String(limit)],
  );
  if (deployment !== undefined) await checkKept(sql, deployment, block);
  return rows.map((row) => JSON.parse(cell(row, "row")));
}
