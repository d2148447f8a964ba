import type { Row, Sql } from "../database/database.js";
import { quoteNames, quoteText } from "../database/quote.js";
import { checkKept } from "./kept-history.js";
import type { EntityTable, Layout } from "./layout.js";
import { rowJson } from "./row-json.js";

/** What happened to a row in a block that is still on the chain. */
export interface BlockChange {
  readonly block: number;
  /** Of the version that began, or of the one that ended without another. */
  readonly vid: bigint;
  readonly table: string;
  /** Inserted, updated, deleted. */
  readonly op: "i" | "u" | "d";
  readonly old?: Row;
  readonly new?: Row;
}

/** Which changes: after a place, which is a change or a whole block, up to a block. */
export interface ChangePage {
  /** The deployment's number in the catalog; `undefined` for tables of others, whose history is not known here. */
  readonly deployment: number | undefined;
  readonly after: {
    readonly block: number;
    readonly vid?: bigint;
    /** Aggregations number their rows each for itself; after all of that vid when it is left out. */
    readonly table?: string;
  };
  readonly to: number;
  readonly limit: number;
}

/** Sorted behind the names of all tables. */
const afterTables = "~";

/**
 * The changes of a deployment that its versions tell, by block, vid and table; those of tables that graph-node writes, too.
 * What a reorganisation took back leaves no trace in them.
 * @throws DatabaseError also for changes from before the history that is kept, of which some are gone
 */
export async function blockChanges(
  sql: Sql,
  { namespace, tables }: Layout,
  { deployment, after, to, limit }: ChangePage,
): Promise<readonly BlockChange[]> {
  if (tables.length === 0) return [];
  const each = tables.map((table) => changesOf(quoteNames(namespace, table.name), table));
  const rows = await sql.query(
    `select block, vid, table_name, old, new from (${each.join("\nunion all ")}) changes
      where (block, vid, table_name collate "C") > ($1::integer, $3::bigint, $5::text)
      order by block, vid, table_name collate "C" limit $4::integer`,
    // What begins with the block is left out as a whole when no vid is given.
    [
      String(after.block),
      String(to),
      String(after.vid ?? 2n ** 63n - 1n),
      String(limit),
      after.table ?? afterTables,
    ],
  );
  // In the first block that is kept, the versions that it ended are gone.
  const complete = after.vid === undefined ? after.block : after.block - 1;
  if (deployment !== undefined) await checkKept(sql, deployment, complete);
  return rows.map(changeOf);
}

/** The changes of a table from block `$1` up to block `$2`. */
function changesOf(name: string, table: EntityTable): string {
  const own = quoteText(table.name);
  const within = (block: string): string => `${block} between $1::integer and $2::integer`;
  if (table.immutable) {
    return `select b.block$ as block, b.vid, ${own} as table_name, null::jsonb as old, ${rowJson(table, "b")} as new
      from ${name} b where ${within("b.block$")}`;
  }
  return `select lower(b.block_range) as block, b.vid, ${own} as table_name,
      (select ${rowJson(table, "p")} from ${name} p
        where p.id = b.id and upper(p.block_range) = lower(b.block_range)) as old,
      ${rowJson(table, "b")} as new
    from ${name} b where ${within("lower(b.block_range)")}
    union all select upper(r.block_range), r.vid, ${own}, ${rowJson(table, "r")}, null::jsonb
      from ${name} r where ${within("coalesce(upper(r.block_range), 2147483647)")}
        and upper(r.block_range) is not null and not exists (
          select 1 from ${name} s where s.id = r.id and lower(s.block_range) = upper(r.block_range))`;
}

function changeOf({ block, vid, table_name: table, old, new: fresh }: Row): BlockChange {
  return {
    block: Number(block),
    vid: BigInt(vid ?? 0),
    table: table ?? "",
    op: old == null ? "i" : fresh == null ? "d" : "u",
    ...(old != null && { old: JSON.parse(old) }),
    ...(fresh != null && { new: JSON.parse(fresh) }),
  };
}
