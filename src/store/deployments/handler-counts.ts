import type { HandlerRuns } from "../../runtime/store/store.js";
import { cell } from "../database/columns.js";
import { type Row, SQL, type Sql } from "../database/database.js";
import { keptText } from "../database/kept-text.js";
import { arrayText, plainArrayText } from "../database/sql-array.js";

/** A block with the runs of its handlers. */
export interface CountedBlock {
  readonly runs?: readonly HandlerRuns[];
}

/** How often a handler has run, or how many entities of a type it has stored. */
export interface HandlerCount {
  /** The data source or the template. */
  readonly source: string;
  readonly handler: string;
  /** The entity type that it set or removed; empty for its runs. */
  readonly type: string;
  readonly count: bigint;
  /** Over the last minute, about. */
  readonly perSecond: number;
}

/** The counts of a deployment. */
export interface HandlerCounts {
  /** They begin after this block; with the first block where it is missing. */
  readonly after?: number;
  readonly counts: readonly HandlerCount[];
}

/** A handler of a data source or a template. */
export type HandlerName = Pick<HandlerCount, "source" | "handler">;

/** The handlers that have stored entities of a type, as far as this was counted. */
export interface Storers {
  /** It was counted after this block; from the first block on where it is missing. */
  readonly after?: number;
  /** Handlers that have done so in any of these blocks. */
  readonly all: readonly HandlerName[];
  /** Handlers that stored some in a block, for blocks still on record. */
  readonly blocks: ReadonlyMap<number, readonly HandlerName[]>;
}

/** Handlers and types with longer names are not counted: an index has no room for them. */
const longestName = 200;

/** Whether the runs of a handler are counted, under a name that is its own. */
export function isCounted({ source, handler }: HandlerName): boolean {
  return [source, handler].every((name) => name.length <= longestName && keptText(name) === name);
}

type Addition = Omit<HandlerCount, "perSecond" | "count"> & { count: number };

/** What blocks add to the counts. */
function added(blocks: readonly CountedBlock[]): readonly Addition[] {
  const all = new Map<string, Addition>();
  const add = (source: string, handler: string, type: string, count: number): void => {
    const key = `${source}\0${handler}\0${type}`;
    const known = all.get(key);
    if (known) known.count += count;
    else all.set(key, { source, handler, type, count });
  };
  for (const { runs = [] } of blocks) {
    for (const { source, handler, count, stored } of runs) {
      add(source, handler, "", count);
      for (const [type, entities] of stored) add(source, handler, type, entities);
    }
  }
  const given = [...all.values()].filter(({ source, handler, type }) =>
    [source, handler, type].every(({ length }) => length <= longestName),
  );
  all.clear();
  // Different names can become the same when they are stored.
  for (const { source, handler, type, count } of given) add(keptText(source), keptText(handler), type, count);
  return [...all.values()];
}

/** Whether any handler of a deployment is known to have run. @throws DatabaseError */
export async function hasRun(sql: Sql, deployment: number): Promise<boolean> {
  const rows = await sql.query(
    SQL`select 1 as one from graphloom.handler_counts where deployment = $1::integer and type = '' and count > 0 limit 1`,
    [String(deployment)],
  );
  return rows.length > 0;
}

/** A block's additions to the counts, in stored form. */
export function runsText({ runs = [] }: CountedBlock): string {
  return JSON.stringify(added([{ runs }]));
}

/** Adds the runs of blocks to the counts. @throws DatabaseError */
export async function countRuns(
  sql: Sql,
  deployment: number,
  blocks: readonly CountedBlock[],
): Promise<void> {
  const counts = added(blocks);
  if (counts.length === 0) return;
  await sql.query(
    SQL`insert into graphloom.handler_counts as c
        (deployment, source, handler, type, count, minute, in_minute, in_minute_before)
      select $1::integer, r.source, r.handler, r.type, r.count, floor(extract(epoch from now()) / 60)::integer, r.count, 0
        from unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) as r(source, handler, type, count)
      on conflict (deployment, source, handler, type) do update set count = c.count + excluded.count,
        minute = excluded.minute,
        in_minute = excluded.in_minute + case when c.minute = excluded.minute then c.in_minute else 0 end,
        in_minute_before = case c.minute when excluded.minute then c.in_minute_before
          when excluded.minute - 1 then c.in_minute else 0 end`,
    [
      String(deployment),
      arrayText(counts.map(({ source }) => source)),
      arrayText(counts.map(({ handler }) => handler)),
      arrayText(counts.map(({ type }) => type)),
      plainArrayText(counts.map(({ count }) => count)),
    ],
  );
}

/**
 * Subtracts the counts of the blocks after a block, before those are forgotten. For blocks far from the chain's head
 * these are unknown: then the counts restart.
 * @param last the last block that stays; missing if none does
 * @throws DatabaseError
 */
export async function uncountRuns(sql: Sql, deployment: number, last: number | undefined): Promise<void> {
  const known = last !== undefined && (await isRemembered(sql, deployment, last));
  if (known) {
    await sql.query(
      SQL`update graphloom.handler_counts c set count = c.count - r.count
        from (select x.source, x.handler, x.type, sum(x.count) as count from graphloom.recent_blocks b
            cross join jsonb_to_recordset(b.runs) as x(source text, handler text, type text, count bigint)
          where b.deployment = $1::integer and b.number > $2::integer group by 1, 2, 3) r
        where c.deployment = $1::integer and c.source = r.source and c.handler = r.handler and c.type = r.type`,
      [String(deployment), String(last)],
    );
  } else
    await sql.query(SQL`delete from graphloom.handler_counts where deployment = $1::integer`, [
      String(deployment),
    ]);
  const after = last === undefined ? null : String(last);
  await sql.query(
    SQL`update graphloom.deployments set counted_after = case
        when $3::boolean and (counted_after is null or counted_after <= $2::integer) then counted_after
        else $2::integer end where id = $1::integer`,
    [String(deployment), after, String(known)],
  );
}

/** Whether the changes to the counts are still on record for all blocks after one. */
async function isRemembered(sql: Sql, deployment: number, last: number): Promise<boolean> {
  const [row] = await sql.query(
    SQL`select coalesce(bool_or(number <= $2::integer), false)
        and coalesce(bool_and(runs is not null) filter (where number > $2::integer), true) as known
      from graphloom.recent_blocks where deployment = $1::integer`,
    [String(deployment), String(last)],
  );
  return row?.known === "t";
}

/** Reads the counts of a deployment; `undefined` if it does not exist. @throws DatabaseError */
export async function readHandlerCounts(sql: Sql, deployment: number): Promise<HandlerCounts | undefined> {
  // The rate covers the minute that ends now: all of this minute so far, and a part of the one before.
  const rows = await sql.query(
    SQL`select d.counted_after as after, c.source, c.handler, c.type, c.count,
        (case c.minute when n.minute then c.in_minute + c.in_minute_before * (1 - n.part)
          when n.minute - 1 then c.in_minute * (1 - n.part) else 0 end) / 60 as rate
      from graphloom.deployments d left join graphloom.handler_counts c on c.deployment = d.id
        cross join (select floor(m)::integer as minute, m - floor(m) as part
          from (select extract(epoch from now())::double precision / 60 as m) as clock) as n
      where d.id = $1::integer order by c.source, c.handler, c.type`,
    [String(deployment)],
  );
  const [first] = rows;
  if (!first) return undefined;
  const counts = rows
    .filter(({ source }) => source !== null)
    .map((row) => ({
      source: cell(row, "source"),
      handler: cell(row, "handler"),
      type: cell(row, "type"),
      count: BigInt(cell(row, "count")),
      perSecond: Number(cell(row, "rate")),
    }));
  return { ...(first.after != null && { after: Number(first.after) }), counts };
}

/**
 * Reads which handlers have stored entities of a type.
 * @param blocks the blocks to report separately
 * @returns `undefined` if there is no such deployment @throws DatabaseError
 */
export async function readStorers(
  sql: Sql,
  deployment: number,
  type: string,
  blocks: readonly number[],
): Promise<Storers | undefined> {
  const counted = await sql.query(
    SQL`select d.counted_after as after, c.source, c.handler from graphloom.deployments d
        left join graphloom.handler_counts c on c.deployment = d.id and c.type = $2::text and c.count > 0
      where d.id = $1::integer order by c.source, c.handler`,
    [String(deployment), type],
  );
  const [first] = counted;
  if (!first) return undefined;
  const recent = await sql.query(
    SQL`select b.number, x.source, x.handler from graphloom.recent_blocks b
        left join lateral jsonb_to_recordset(b.runs) as x(source text, handler text, type text) on x.type = $2::text
      where b.deployment = $1::integer and b.number = any($3::integer[]) and b.runs is not null`,
    [String(deployment), type, plainArrayText(blocks)],
  );
  const byBlock = new Map<number, HandlerName[]>();
  for (const row of recent) {
    const number = Number(cell(row, "number"));
    byBlock.set(number, [...(byBlock.get(number) ?? []), ...namesIn([row])]);
  }
  return {
    ...(first.after != null && { after: Number(first.after) }),
    all: namesIn(counted),
    blocks: byBlock,
  };
}

function namesIn(rows: readonly Row[]): readonly HandlerName[] {
  return rows
    .filter(({ source }) => source != null)
    .map((row) => ({ source: cell(row, "source"), handler: cell(row, "handler") }));
}
