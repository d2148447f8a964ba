import { joinFragments, SQL, type Sql, type SqlFragment } from "../store/database/database.js";
import { quoteNames, quoteText } from "../store/database/quote.js";
import type { EntityTable, Layout } from "../store/tables/layout.js";
import { versionsSql } from "../store/tables/versions-sql.js";

/** The changes of a block to the entities of a type, or of an aggregation's interval such as `Volume_hour`. */
export interface ChangesOfType {
  readonly type: string;
  /** The entities after the block, without nulls, by id. */
  readonly updates: readonly Readonly<Record<string, unknown>>[];
  /** The ids of the removed entities. */
  readonly deletions: readonly string[];
}

/** The maximum number of reported entities of a type. */
const most = 10_000;

/**
 * The changes of a block by type name, without unchanged types.
 * @throws DatabaseError; Error if there are too many changes to report
 */
export async function changesInBlock(
  sql: Sql,
  { namespace, tables }: Layout,
  block: number,
): Promise<readonly ChangesOfType[]> {
  const found: ChangesOfType[] = [];
  for (const table of tables) {
    const name = quoteNames(namespace, table.name);
    const { begins, hasEnded } = versionsSql(table, "t");
    const updated = await sql.query(
      SQL`select ${entityJson(table)} as entity from ${name} t
        where ${begins} = $1::integer order by t.id limit ${most + 1}`,
      [String(block)],
    );
    const removed = table.immutable
      ? []
      : await sql.query(
          SQL`select ${idSql(table)} as id from ${name} t where ${hasEnded(SQL`= $1::integer`)}
            and not exists (select 1 from ${name} s where s.id = t.id and ${versionsSql(table, "s").begins} = $1::integer)
            order by t.id limit ${most + 1}`,
          [String(block)],
        );
    if (updated.length > most || removed.length > most) throw new Error("query is too expensive");
    if (updated.length === 0 && removed.length === 0) continue;
    found.push({
      type: table.interval === undefined ? table.type : `${table.type}_${table.interval}`,
      updates: updated.map(({ entity }) => clientValues(table, JSON.parse(entity ?? "{}"))),
      deletions: removed.map(({ id }) => String(clientValues(table, { id: id ?? "" }).id)),
    });
  }
  return found.sort((a, b) => (a.type < b.type ? -1 : 1));
}

function entityJson({ columns }: EntityTable): SqlFragment {
  const parts = columns.map(
    (column) =>
      SQL`${quoteText(column.field)}, to_jsonb(${column.codec.jsonSql(quoteNames("t", column.name))})`,
  );
  // A database function accepts a hundred arguments.
  const objects: SqlFragment[] = [];
  for (let start = 0; start < parts.length; start += 40)
    objects.push(SQL`jsonb_build_object(${parts.slice(start, start + 40)})`);
  return joinFragments(objects, SQL` || `);
}

function idSql({ columns }: EntityTable): SqlFragment {
  const column = columns.find(({ field }) => field === "id");
  return column ? column.codec.jsonSql(SQL`t.id`) : SQL`t.id::text`;
}

/** Values as clients get them, without nulls, by the names of fields. */
function clientValues(
  { columns }: EntityTable,
  entity: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const codecs = new Map(columns.map(({ field, codec }) => [field, codec]));
  return Object.fromEntries(
    Object.entries(entity)
      .filter(([, value]) => value !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, value]) => [field, codecs.get(field)?.answered(value)]),
  );
}
