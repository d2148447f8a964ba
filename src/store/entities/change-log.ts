import { joinFragments, SQL, type Sql, type SqlFragment } from "../database/database.js";
import { quoteNames, quoteText } from "../database/quote.js";
import { arrayText, plainArrayText } from "../database/sql-array.js";
import { keepLastNumber } from "../deployments/head.js";
import { originOf } from "../tables/change-origin.js";
import { changeLogName } from "../tables/create-tables.js";
import { rowJson } from "../tables/row-json.js";
import { versionsSql } from "../tables/versions-sql.js";
import type { Batch, LoggedChange } from "./batch.js";
import type { EntityTable } from "./entity-table.js";
import type { RolledUp } from "./roll-ups.js";

/** A deployment's tables, as the log needs them. */
export interface LoggedTables {
  readonly deployment: number;
  readonly namespace: string;
  readonly tables: ReadonlyMap<string, EntityTable>;
}

/** Where a log is when changes are added. */
export interface LogPlace {
  /** The last number that was assigned. */
  readonly seq: bigint;
  readonly branch: string;
}

/** A table whose rows are logged, including aggregations. */
export type LoggedTable = Pick<EntityTable, "name" | "layout">;

/**
 * Logs the changes and roll-ups of a batch for feeds. The batch must already be written. Rows of aggregations precede
 * the other changes of their block, because a revert undoes them after those.
 * @param place the numbers of the batch's changes after it are reserved
 */
export async function logBatch(
  sql: Sql,
  { deployment, namespace, tables }: LoggedTables,
  { seq, branch }: LogPlace,
  { types, blocks }: Batch,
  rolledUp: readonly RolledUp[],
): Promise<void> {
  const log = quoteNames(namespace, changeLogName);
  const origins = new Map(blocks.map((block) => [block.number, originOf(branch, block)]));
  const rolledUntil = (block: number): number => countUntil(rolledUp, block);
  for (const [type, changes] of types) {
    const table = tables.get(type);
    if (!table) throw new Error(`the schema has no entity type ${type}`);
    const placed = changes.log.map((change) => ({
      ...change,
      order: change.order + (rolledUp.length === 0 ? 0 : rolledUntil(change.block)),
      origin: origins.get(change.block),
    }));
    await logChanges(sql, log, table, seq, placed);
  }
  if (rolledUp.length === 0) return;
  const before = new Map(blocks.map(({ number, changesBefore }) => [number, changesBefore]));
  const placed = rolledUp.map((row, index) => ({
    ...row,
    seq: seq + BigInt(index + (before.get(row.block) ?? 0)) + 1n,
    origin: origins.get(row.block),
  }));
  for (const rollUp of new Set(rolledUp.map((row) => row.rollUp))) {
    const rows = placed.filter((row) => row.rollUp === rollUp);
    await logRows(sql, log, { name: rollUp.name, layout: rollUp.table }, rows);
  }
  await keepLastNumber(sql, deployment, log);
}

/** A change with what it comes from. */
interface WithOrigin {
  readonly origin: string | undefined;
}

/** The number of roll-up rows of all blocks up to a block. */
function countUntil(rolledUp: readonly RolledUp[], block: number): number {
  const after = rolledUp.findIndex((row) => row.block > block);
  return after < 0 ? rolledUp.length : after;
}

async function logChanges(
  sql: Sql,
  log: SqlFragment,
  table: EntityTable,
  seq: bigint,
  changes: readonly (LoggedChange & WithOrigin)[],
): Promise<void> {
  const { name, layout, ids } = table;
  const old = layout.immutable
    ? SQL`left join (select null::bigint as vid, null::jsonb as row) o on true`
    : SQL`left join lateral (select vid, ${rowJson(layout, SQL`t`)} as row from ${name} t
        where t.id = c.id and ${versionsSql(layout, "t").ends} = c.block) o on true`;
  await sql.query(
    SQL`${insertion(log)} select c.seq, c.block, ${operation(SQL`o.row`, SQL`n.row`)}, ${quoteText(layout.name)},
        coalesce(n.vid, o.vid), o.row, n.row, c.origin
      from unnest($1::bigint[], $2::integer[], $3::${ids.sqlType}[], $4::bigint[], $5::text[])
        as c(seq, block, id, vid, origin)
      left join lateral (select vid, ${rowJson(layout, SQL`t`)} as row from ${name} t where t.vid = c.vid) n on true
      ${old} where n.vid is not null or o.vid is not null`,
    [
      plainArrayText(changes.map(({ order }) => seq + BigInt(order) + 1n)),
      plainArrayText(changes.map(({ block }) => block)),
      arrayText(changes.map(({ id }) => ids.stored(id))),
      plainArrayText(changes.map(({ vid }) => vid ?? null)),
      plainArrayText(changes.map(({ origin }) => origin ?? null)),
    ],
  );
}

/** New rows. */
async function logRows(
  sql: Sql,
  log: SqlFragment,
  { name, layout }: LoggedTable,
  rows: readonly ({ readonly seq: bigint; readonly block: number; readonly vid: bigint } & WithOrigin)[],
): Promise<void> {
  await sql.query(
    SQL`${insertion(log)} select c.seq, c.block, 'i', ${quoteText(layout.name)}, c.vid, null, ${rowJson(layout, SQL`t`)}, c.origin
      from unnest($1::bigint[], $2::integer[], $3::bigint[], $4::text[]) as c(seq, block, vid, origin) join ${name} t on t.vid = c.vid`,
    [
      plainArrayText(rows.map(({ seq }) => seq)),
      plainArrayText(rows.map(({ block }) => block)),
      plainArrayText(rows.map(({ vid }) => vid)),
      plainArrayText(rows.map(({ origin }) => origin ?? null)),
    ],
  );
}

function insertion(log: SqlFragment): SqlFragment {
  return SQL`insert into ${log} (seq, block, op, table_name, vid, old, new, origin)`;
}

function operation(old: SqlFragment, fresh: SqlFragment): SqlFragment {
  return SQL`case when ${old} is null then 'i' when ${fresh} is null then 'd' else 'u' end`;
}

/**
 * Logs for feeds that everything after a block will be reverted, before it happens.
 * @param place includes the branch that starts with the reversal
 */
export async function logReversal(
  sql: Sql,
  { deployment, namespace }: Pick<LoggedTables, "deployment" | "namespace">,
  tables: readonly LoggedTable[],
  to: number,
  { seq, branch }: LogPlace,
): Promise<void> {
  if (tables.length === 0) return;
  const log = quoteNames(namespace, changeLogName);
  const undone = tables.map((table) => undoing(table, SQL`$1::integer`));
  await sql.query(
    SQL`${insertion(log)}
      select $2::bigint + row_number() over (order by block desc, vid desc), block, ${operation(SQL`old`, SQL`new`)},
        table_name, vid, old, new, $3::text
      from (${joinFragments(
        undone,
        SQL`
union all `,
      )}) undone`,
    [String(to), String(seq), branch],
  );
  await keepLastNumber(sql, deployment, log);
}

/**
 * Selects what a revert to a block will undo, newest first: rows of the block, the vid that orders them, and SQL values
 * for `op`, `old` and `new`.
 * @param to the parameter that holds the block
 */
function undoing({ name, layout }: LoggedTable, to: SqlFragment): SqlFragment {
  const own = quoteText(layout.name);
  const row = (alias: SqlFragment): SqlFragment => rowJson(layout, alias);
  if (layout.immutable) {
    const { begins } = versionsSql(layout, "t");
    return SQL`select ${begins} as block, vid, ${own} as table_name, ${row(SQL`t`)} as old, null::jsonb as new
      from ${name} t where ${begins} > ${to}`;
  }
  const begun = versionsSql(layout, "b");
  const ended = versionsSql(layout, "e");
  return SQL`select ${begun.begins} as block, b.vid, ${own} as table_name, ${row(SQL`b`)} as old,
      (select ${row(SQL`p`)} from ${name} p
        where p.id = b.id and ${versionsSql(layout, "p").ends} = ${begun.begins}) as new
      from ${name} b where ${begun.begins} > ${to}
    union all select ${ended.ends}, e.vid, ${own}, null::jsonb, ${row(SQL`e`)}
      from ${name} e where ${ended.hasEnded(SQL`> ${to}`)} and not exists (
        select 1 from ${name} n where n.id = e.id and ${versionsSql(layout, "n").begins} = ${ended.ends})`;
}
