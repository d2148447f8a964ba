import { columns, integer, text } from "../database/columns.js";
import { SQL, type Sql } from "../database/database.js";

/** An index of the kind, and statistics about its entries. Sizes are in bytes. */
interface IndexFacts {
  readonly method: string;
  readonly entries: number;
  /** Of the values of an entry. */
  readonly width: number;
  /** Entries that differ. */
  readonly distinct: number;
}

/** The bytes of all tables of a database schema with their indexes, as PostgreSQL counts them. @throws DatabaseError */
export async function tableBytes(sql: Sql, namespace: string): Promise<number> {
  const [row] = await sql.query(
    SQL`select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1::text and c.relkind = 'r'`,
    [namespace],
  );
  return Number(row?.bytes ?? 0);
}

const heapRow = columns({ rows: integer, width: integer, toast: integer });
const indexRow = columns({ method: text, entries: integer, width: integer, distinct: integer });

/**
 * The bytes that the rows of a database schema take in large tables, with their entries in indexes. A small table fills
 * whole pages with few rows, so this is computed from the widths of the rows, and not from the pages.
 * @throws DatabaseError
 */
export async function rowBytes(sql: Sql, namespace: string): Promise<number> {
  await sql.run(SQL`analyze`);
  const heaps = await sql.query(
    SQL`select greatest(c.reltuples, 0)::bigint as rows,
        coalesce((select sum(s.avg_width * (1 - s.null_frac)) from pg_stats s
          where s.schemaname = n.nspname and s.tablename = c.relname), 0)::bigint as width,
        coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0)::bigint as toast
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1::text and c.relkind = 'r'`,
    [namespace],
  );
  const indexes = await sql.query(
    SQL`select m.amname as method, greatest(c.reltuples, 0)::bigint as entries,
        coalesce(sum(s.avg_width * (1 - s.null_frac)), 0)::bigint as width,
        coalesce(max(case when s.n_distinct < 0 then -s.n_distinct * c.reltuples else s.n_distinct end), c.reltuples)::bigint
          as distinct
      from pg_index i
      join pg_class c on c.oid = i.indexrelid
      join pg_class t on t.oid = i.indrelid
      join pg_am m on m.oid = c.relam
      join pg_namespace n on n.oid = c.relnamespace
      cross join lateral unnest(i.indkey::smallint[]) k(number)
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
      left join pg_stats s on s.schemaname = n.nspname
        and ((k.number > 0 and s.tablename = t.relname and s.attname = a.attname)
          or (k.number = 0 and s.tablename = c.relname))
      where n.nspname = $1::text
      group by m.amname, c.oid, c.reltuples`,
    [namespace],
  );
  const ofHeaps = heaps
    .map((row) => heapRow.read(row))
    .map(({ rows, width, toast }) => rows * heapWidth(width) + toast);
  const ofIndexes = indexes.map((row) => indexRow.read(row)).map(indexBytes);
  return [...ofHeaps, ...ofIndexes].reduce((sum, bytes) => sum + bytes, 0);
}

/** A row's header, its pointer in the page, and its values. */
function heapWidth(width: number): number {
  return 24 + 4 + aligned(width);
}

/** Shares of a page that entries fill. */
const treeFill = 0.75;
const rangeTreeFill = 0.6;
/** An entry's header and its pointer in the page. */
const entryHead = 8 + 4;
/** The bytes of another row with the same values, and the most rows that share an entry. */
const repeated = 6;
const mostShared = 50;

/** The bytes of an index in which values of one kind were inserted in no order. */
function indexBytes({ method, entries, width, distinct }: IndexFacts): number {
  if (entries === 0) return 0;
  const whole = entryHead + aligned(width);
  // An index of ranges of blocks has an entry for a hundred pages.
  if (method === "brin") return 0;
  if (method === "gist") return (entries * (whole + 8)) / rangeTreeFill;
  if (method !== "btree") return (entries * whole) / treeFill;
  const shared = Math.min(mostShared, entries / Math.max(1, distinct));
  const each = shared < 2 ? whole : repeated + whole / shared;
  return (entries * each) / treeFill;
}

/** The next multiple of the eight bytes at which values are placed. */
function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
