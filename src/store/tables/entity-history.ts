import { cell } from "../database/columns.js";
import { joinFragments, SQL, type Sql } from "../database/database.js";
import { Parameters } from "../database/parameters.js";
import { quoteName, quoteNames, quoteText } from "../database/quote.js";
import { parseArray } from "../database/sql-array.js";
import { type EntityRow, type EntitySelection, entityRow, valuesJson } from "./browse-entities.js";
import type { EntityTable, Layout } from "./layout.js";
import { versionsSql } from "./versions-sql.js";

export interface EntityVersion extends EntityRow {
  /** The first block at which it is no longer valid; missing for the current version. */
  readonly ends?: number;
  /**
   * The block in which the version after it begins; missing for the newest version. Later than `ends` if the entity was
   * removed and created again.
   */
  readonly next?: number;
  /** The version before it, if it is still kept. */
  readonly previous?: {
    /** The first block at which that version was no longer valid. Earlier than `begins` if the entity was removed. */
    readonly ends: number;
    /** The names of the columns with a different value. */
    readonly changed: readonly string[];
  };
}

/** Selects some versions of an entity, newest first. */
export interface VersionSelection extends Pick<EntitySelection, "longest" | "items"> {
  /** In the database's text form. */
  readonly id: string;
  /** Only versions that were written before this one. */
  readonly before?: bigint | undefined;
  /** The most versions. */
  readonly limit: number;
}

/** Reads the kept versions of an entity, newest first. Uses the index of ids. @throws DatabaseError */
export async function readVersions(
  sql: Sql,
  { namespace }: Layout,
  table: EntityTable,
  { id, before, limit, longest, items }: VersionSelection,
): Promise<{ readonly versions: readonly EntityVersion[]; readonly hasOlder: boolean }> {
  const parameters = new Parameters();
  const { begins, ends } = versionsSql(table, "t");
  const own = SQL`${quoteNames(namespace, table.name)} t where t.id = ${parameters.bind(id, idType(table))}`;
  const last = before === undefined ? undefined : parameters.bind(String(before), SQL`bigint`);
  const selected = last === undefined ? own : SQL`${own} and t.vid < ${last}`;
  const after =
    last === undefined ? SQL`null::integer` : SQL`(select ${begins} from ${own} and t.vid = ${last})`;
  const older = SQL`over (order by t.vid)`;
  const changes = table.columns.map(({ name }) => {
    const column = SQL`t.${quoteName(name)}`;
    return SQL`case when ${column} is distinct from lag(${column}) ${older} then ${quoteText(name)} end`;
  });
  const rows = await sql.query(
    SQL`select t.vid, ${begins} as begins, ${ends} as ends, ${valuesJson(table, { longest, items })} as row,
        lag(${ends}) ${older} as previous, array_remove(array[${changes}]::text[], null) as changed,
        coalesce(lead(${begins}) ${older}, ${after}) as next
      from (select * from ${selected} order by t.vid desc limit ${parameters.bind(String(limit + 1), SQL`integer`)}) t
      order by t.vid desc`,
    parameters.values,
  );
  const versions = rows.slice(0, limit).map((row): EntityVersion => {
    const { ends: end = null, previous = null, next = null } = row;
    return {
      ...entityRow(row),
      ...(end !== null && { ends: Number(end) }),
      ...(next !== null && { next: Number(next) }),
      ...(previous !== null && {
        previous: { ends: Number(previous), changed: namesIn(cell(row, "changed")) },
      }),
    };
  });
  return { versions, hasOlder: rows.length > limit };
}

/**
 * The block in which each table was last written, by table name. Empty tables are left out. Reads one row of each table.
 * @throws DatabaseError
 */
export async function lastWrites(
  sql: Sql,
  { namespace, tables }: Layout,
): Promise<ReadonlyMap<string, number>> {
  if (tables.length === 0) return new Map();
  const last = tables.map((table) => {
    const { begins } = versionsSql(table, "t");
    return SQL`(select ${quoteText(table.name)} as name, ${begins} as begins
      from ${quoteNames(namespace, table.name)} t order by t.vid desc limit 1)`;
  });
  const rows = await sql.query(joinFragments(last, SQL` union all `));
  return new Map(rows.map((row) => [cell(row, "name"), Number(cell(row, "begins"))]));
}

function namesIn(text: string): readonly string[] {
  return parseArray(text).filter((name) => name !== null);
}

/** The type of the ids of a table. */
function idType({ columns, type }: EntityTable) {
  const id = columns.find(({ name }) => name === "id");
  if (!id) throw new Error(`${type} has no id`);
  return id.sqlType;
}
