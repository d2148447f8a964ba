import { cell } from "../database/columns.js";
import { joinFragments, SQL, type Sql, type SqlFragment } from "../database/database.js";
import { quoteNames, quoteText } from "../database/quote.js";
import type { Layout } from "./layout.js";
import { versionsSql } from "./versions-sql.js";

/** Facts about a table, read from the database. */
export interface TableFacts {
  readonly table: string;
  /** The entity type or aggregation in the GraphQL schema. */
  readonly type: string;
  /** The number of kept versions. */
  readonly rows: bigint;
  /** In table order: the store's own columns first, then the fields. */
  readonly columns: readonly TableColumn[];
}

/** A column, with the database's name for its type: `numeric`, `text[]`. */
export interface TableColumn {
  readonly name: string;
  readonly dataType: string;
}

/** Returns the facts about all tables of a deployment. @throws DatabaseError */
export async function tableFacts(sql: Sql, { namespace, tables }: Layout): Promise<readonly TableFacts[]> {
  if (tables.length === 0) return [];
  const rows = await countRows(
    sql,
    tables.map(({ name }) => [name, quoteNames(namespace, name)]),
  );
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

/** Counts the current entities by table name. @throws DatabaseError */
export async function entityCounts(
  sql: Sql,
  { namespace, tables }: Layout,
): Promise<ReadonlyMap<string, bigint>> {
  if (tables.length === 0) return new Map();
  return countRows(
    sql,
    tables.map(({ name, ...table }) => [
      name,
      SQL`${quoteNames(namespace, name)} t where ${versionsSql(table, "t").isCurrent}`,
    ]),
  );
}

/**
 * Counts the current entities that did not exist at a block or earlier, by table name. It is right where versions of that
 * block are still kept.
 * @throws DatabaseError
 */
export async function newEntities(
  sql: Sql,
  { namespace, tables }: Layout,
  after: number,
): Promise<ReadonlyMap<string, bigint>> {
  if (tables.length === 0) return new Map();
  const counted = tables.map((table) => {
    const name = quoteNames(namespace, table.name);
    const [current, earlier] = [versionsSql(table, "t"), versionsSql(table, "o")];
    const wasThere = SQL`exists (select 1 from ${name} o where o.id = t.id and ${earlier.begins} <= $1::integer)`;
    const isNew = SQL`${current.begins} > $1::integer${table.immutable ? SQL`` : SQL` and not ${wasThere}`}`;
    return [table.name, SQL`${name} t where ${current.isCurrent} and ${isNew}`] as const;
  });
  return countRows(sql, counted, [String(after)]);
}

/** Counts rows of several tables. @param counted the name of each, and what follows `from` */
async function countRows(
  sql: Sql,
  counted: readonly (readonly [name: string, from: SqlFragment])[],
  parameters: readonly string[] = [],
): Promise<ReadonlyMap<string, bigint>> {
  const counts = counted.map(
    ([name, from]) => SQL`select ${quoteText(name)} as name, count(*) as n from ${from}`,
  );
  const rows = await sql.query(joinFragments(counts, SQL` union all `), parameters);
  return new Map(rows.map((row) => [cell(row, "name"), BigInt(cell(row, "n"))]));
}

/**
 * Counts the current entities of all types together. As in graph-node, rows of aggregations do not count.
 * @throws DatabaseError
 */
export async function countEntities(sql: Sql, layout: Layout): Promise<bigint> {
  const tables = layout.tables.filter(({ interval }) => interval === undefined);
  const counts = await entityCounts(sql, { ...layout, tables });
  return [...counts.values()].reduce((sum, count) => sum + count, 0n);
}

/**
 * The size of a deployment's tables in bytes, and their approximate number of rows, as strings because both can be
 * large.
 */
export interface TableSizes {
  readonly rowEstimate: string;
  readonly tableSize: string;
  readonly indexSize: string;
  readonly toastSize: string;
  readonly totalSize: string;
}

/** Returns the total size of a deployment's tables. @throws DatabaseError */
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
