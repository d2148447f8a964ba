import { groupBy } from "../../base/group-by.js";
import { type Column, columns, integer, nullable, oneOf, text } from "../../store/database/columns.js";
import { type Row, SQL, type Sql } from "../../store/database/database.js";
import { quoteName } from "../../store/database/quote.js";
import { arrayText, plainArrayText } from "../../store/database/sql-array.js";
import { type Figure, figureStates, type Mark, type MarkKind, type Span } from "./figure.js";

const minuteLength = 60_000;
/** For how many minutes to keep rows of one minute, and rows of five. */
const keptMinutes = { 1: 24 * 60, 5: 31 * 24 * 60 } as const;

/** The figures of a deployment in one minute, as a server has measured them. */
export interface MinuteRow extends Figure {
  readonly deployment: string;
  /** Whether this server indexes it. */
  readonly isOwn: boolean;
}

/** The events that servers record. The time of a deployment is in the catalog. */
const noticedKinds = ["restart", "reorganisation", "failure"] as const satisfies readonly MarkKind[];

/** Something that happened to a deployment and that a server has noticed. */
export interface NewMark {
  readonly deployment: string;
  readonly kind: (typeof noticedKinds)[number];
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly blocks?: number | undefined;
  /** Whether other servers notice it too, each at another time. */
  readonly isShared?: boolean | undefined;
}

const real: Column<number> = {
  parse: (given) => (given !== "" && Number.isFinite(Number(given)) ? Number(given) : undefined),
};
const figureRow = columns({
  minute: integer,
  minutes: integer,
  state: nullable(oneOf(figureStates)),
  block: nullable(integer),
  chainBlock: nullable(integer),
  lagBlocks: nullable(integer),
  lagSeconds: nullable(integer),
  events: nullable(real),
  fromMemory: integer,
  fromEngine: integer,
  refused: integer,
  failed: integer,
  p50: nullable(integer),
  p95: nullable(integer),
});
const blockRow = columns({ block: integer });
const ownerRow = columns({ deployment: text });
const markRow = columns({
  kind: oneOf(noticedKinds),
  at: integer,
  blocks: nullable(integer),
});

/**
 * Adds a server's measurements. Queries of several servers are added up, with the longest of their times. States and
 * blocks come from the server that indexes the deployment, if it has measured them. Rows of deployments that no
 * longer exist are dropped.
 * @throws DatabaseError
 */
export async function addMinutes(sql: Sql, rows: readonly MinuteRow[]): Promise<void> {
  if (rows.length === 0) return;
  const numbers = (of: (row: MinuteRow) => number | undefined): string =>
    plainArrayText(rows.map((row) => of(row) ?? null));
  const isTaken = SQL`excluded.state is not null and (excluded.is_own or not f.is_own)`;
  const slowest = [SQL`p50`, SQL`p95`];
  const taken = [SQL`state`, SQL`block`, SQL`chain_block`, SQL`lag_blocks`, SQL`lag_seconds`, SQL`events`];
  await sql.query(
    SQL`insert into graphloom.figures as f (deployment, step, minute, minutes, is_own, state, block, chain_block,
          lag_blocks, lag_seconds, events, from_memory, from_engine, refused, failed, p50, p95)
        select n.deployment, 1, n.minute, n.minutes, n.is_own, n.state, n.block, n.chain_block, n.lag_blocks,
            n.lag_seconds, n.events, n.from_memory, n.from_engine, n.refused, n.failed, n.p50, n.p95
          from unnest($1::text[], $2::integer[], $3::smallint[], $4::boolean[], $5::text[], $6::integer[],
              $7::integer[], $8::integer[], $9::integer[], $10::real[], $11::bigint[], $12::bigint[], $13::bigint[],
              $14::bigint[], $15::integer[], $16::integer[])
            as n (deployment, minute, minutes, is_own, state, block, chain_block, lag_blocks, lag_seconds, events,
              from_memory, from_engine, refused, failed, p50, p95)
          join graphloom.builds b using (deployment)
          -- Servers that write the same rows lock them in the same order.
          order by n.deployment, n.minute
        on conflict (deployment, step, minute) do update set
          minutes = greatest(f.minutes, excluded.minutes), is_own = f.is_own or excluded.is_own,
          ${taken.map((name) => SQL`${name} = case when ${isTaken} then excluded.${name} else f.${name} end`)},
          from_memory = f.from_memory + excluded.from_memory, from_engine = f.from_engine + excluded.from_engine,
          refused = f.refused + excluded.refused, failed = f.failed + excluded.failed,
          ${slowest.map((name) => SQL`${name} = greatest(f.${name}, excluded.${name})`)}`,
    [
      arrayText(rows.map(({ deployment }) => deployment)),
      numbers(({ at }) => minuteOf(at)),
      numbers(({ minutes }) => minutes),
      plainArrayText(rows.map(({ isOwn }) => (isOwn ? "t" : "f"))),
      arrayText(rows.map(({ state }) => state ?? null)),
      numbers(({ block }) => block),
      numbers(({ chainBlock }) => chainBlock),
      numbers(({ lagBlocks }) => lagBlocks),
      numbers(({ lagSeconds }) => lagSeconds),
      numbers(({ eventsPerSecond }) => eventsPerSecond),
      numbers(({ fromMemory }) => fromMemory),
      numbers(({ fromEngine }) => fromEngine),
      numbers(({ refused }) => refused),
      numbers(({ failed }) => failed),
      numbers(({ p50 }) => p50),
      numbers(({ p95 }) => p95),
    ],
  );
}

/** Several rows as one, where `$1` is the list of states from the most to the least serious. */
const summary = {
  minutes: SQL`sum(minutes)::smallint`,
  is_own: SQL`bool_or(is_own)`,
  state: SQL`($1::text[])[min(array_position($1::text[], state))]`,
  block: SQL`(array_agg(block order by minute desc) filter (where block is not null))[1]`,
  chain_block: SQL`max(chain_block)`,
  lag_blocks: SQL`max(lag_blocks)`,
  lag_seconds: SQL`max(lag_seconds)`,
  events: SQL`(sum(events * minutes) / nullif(sum(minutes) filter (where events is not null), 0))::real`,
  from_memory: SQL`sum(from_memory)`,
  from_engine: SQL`sum(from_engine)`,
  refused: SQL`sum(refused)`,
  failed: SQL`sum(failed)`,
  p50: SQL`max(p50)`,
  p95: SQL`max(p95)`,
};
const states = arrayText(figureStates);

/**
 * Aggregates rows of one minute into rows of five. It may run at any time and repeatedly.
 * @param since milliseconds since 1970; earlier rows stay
 * @throws DatabaseError
 */
export async function rollUp(sql: Sql, since: number): Promise<void> {
  // Never use an incomplete group of five minutes, whose first rows may already be deleted.
  const first = Math.ceil(minuteOf(since) / 5) * 5;
  await sql.query(
    SQL`insert into graphloom.figures as f (deployment, step, minute, minutes, is_own, state, block, chain_block,
        lag_blocks, lag_seconds, events, from_memory, from_engine, refused, failed, p50, p95)
      select deployment, 5, minute / 5 * 5, ${Object.values(summary)}
        from graphloom.builds join graphloom.figures using (deployment)
        where step = 1 and minute >= $2::integer
        group by deployment, minute / 5 order by deployment, minute / 5
      on conflict (deployment, step, minute) do update set ${Object.keys(summary).map(
        (name) => SQL`${quoteName(name)} = excluded.${quoteName(name)}`,
      )}`,
    [states, String(first)],
  );
}

/** Deletes figures past their retention. @param now milliseconds since 1970 @throws DatabaseError */
export async function prune(sql: Sql, now: number): Promise<void> {
  for (const [step, kept] of Object.entries(keptMinutes)) {
    const before = String(minuteOf(now) - kept);
    // By deployment, because the index begins with it.
    await sql.query(
      SQL`delete from graphloom.figures f using graphloom.builds b
        where f.deployment = b.deployment and f.step = $1::smallint and f.minute < $2::integer`,
      [step, before],
    );
  }
  await sql.query(
    SQL`delete from graphloom.figure_marks m using graphloom.builds b
      where m.deployment = b.deployment and m.at < $1::bigint`,
    [String(now - keptMinutes[5] * minuteLength)],
  );
}

/**
 * The figures of all deployments by minutes.
 * @param since milliseconds since 1970, within the last day
 * @returns by deployment, oldest first
 * @throws DatabaseError
 */
export async function readSince(sql: Sql, since: number): Promise<ReadonlyMap<string, readonly Figure[]>> {
  const rows = await sql.query(
    SQL`select deployment, ${figureRow.list} from graphloom.builds join graphloom.figures using (deployment)
      where step = 1 and minute >= $1::integer order by deployment, minute`,
    [String(minuteOf(since))],
  );
  const found = groupBy(rows, (row) => ownerRow.read(row).deployment);
  return new Map([...found].map(([deployment, own]) => [deployment, own.map(figureOf)]));
}

/**
 * The last block of a deployment at a time within the last day, as measured in one of the five minutes before.
 * @param at milliseconds since 1970
 * @returns `undefined` if nothing was measured then
 * @throws DatabaseError
 */
export async function readBlockAt(sql: Sql, deployment: string, at: number): Promise<number | undefined> {
  const [row] = await sql.query(
    SQL`select block from graphloom.figures where deployment = $1::text and step = 1 and block is not null
        and minute < $2::integer and minute >= $2::integer - 5
      order by minute desc limit 1`,
    [deployment, String(minuteOf(at))],
  );
  return row && blockRow.read(row).block;
}

/** The figures of a deployment in the columns of a span, oldest first. @throws DatabaseError */
export async function readFigures(
  sql: Sql,
  deployment: string,
  { from, to, step }: Span,
): Promise<readonly Figure[]> {
  const minutes = Math.max(1, Math.round(step / minuteLength));
  const rows = await sql.query(
    SQL`select minute / $6::integer * $6::integer as minute, ${Object.entries(summary).map(
      ([name, expression]) => SQL`${expression} as ${quoteName(name)}`,
    )}
      from graphloom.figures where deployment = $2::text and step = $3::smallint
        and minute >= $4::integer and minute < $5::integer
      group by 1 order by 1`,
    [states, deployment, minutes >= 5 ? "5" : "1", ...[minuteOf(from), minuteOf(to), minutes].map(String)],
  );
  return rows.map(figureOf);
}

/**
 * Adds marks to the existing ones. A restart of a deployment that was never measured is its first start, and has no
 * mark. An event that several servers notice is one mark, dated to the beginning of its minute; the next minute gets
 * none, since servers do not notice it at the same moment. A failure at an unknown time has a mark only after the
 * last figures said that the deployment had not failed.
 * @throws DatabaseError
 */
export async function addMarks(sql: Sql, marks: readonly NewMark[]): Promise<void> {
  if (marks.length === 0) return;
  const shared = ({ isShared = false }: NewMark): boolean => isShared;
  await sql.query(
    SQL`insert into graphloom.figure_marks as m (deployment, at, kind, blocks)
      select n.deployment, n.at, n.kind, max(n.blocks)
        from unnest($1::text[], $2::bigint[], $3::text[], $4::integer[], $5::boolean[])
            as n (deployment, at, kind, blocks, is_shared)
        join graphloom.builds using (deployment)
        where (n.kind <> 'restart' or exists (select from graphloom.figures f where f.deployment = n.deployment))
          and not (n.is_shared and exists (select from graphloom.figure_marks o
            where o.deployment = n.deployment and o.kind = n.kind and o.at between n.at - $6::bigint and n.at - 1))
          and not (n.is_shared and n.kind = 'failure' and exists (select from (select state from graphloom.figures f
            where f.deployment = n.deployment and step = 5 and state is not null order by minute desc limit 1) l
            where state = 'failed'))
        group by n.deployment, n.at, n.kind order by n.deployment, n.at, n.kind
      on conflict (deployment, at, kind) do update set blocks = greatest(m.blocks, excluded.blocks)`,
    [
      arrayText(marks.map(({ deployment }) => deployment)),
      plainArrayText(
        marks.map((mark) => (shared(mark) ? minuteOf(mark.at) * minuteLength : Math.round(mark.at))),
      ),
      arrayText(marks.map(({ kind }) => kind)),
      plainArrayText(marks.map(({ blocks }) => blocks ?? null)),
      plainArrayText(marks.map((mark) => (shared(mark) ? "t" : "f"))),
      String(minuteLength),
    ],
  );
}

/** The most marks of a deployment that are read at once, latest first. */
const mostMarks = 5_000;

/** The marks of a deployment in a span, oldest first. @throws DatabaseError */
export async function readMarks(
  sql: Sql,
  deployment: string,
  { from, to }: Pick<Span, "from" | "to">,
): Promise<readonly Mark[]> {
  const rows = await sql.query(
    SQL`select ${markRow.list} from graphloom.figure_marks
      where deployment = $1::text and at >= $2::bigint and at < $3::bigint order by at desc limit ${mostMarks}`,
    [deployment, String(from), String(to)],
  );
  return rows.toReversed().map((row) => {
    const { blocks, ...mark } = markRow.read(row);
    return { ...mark, count: 1, ...(blocks !== null && { blocks }) };
  });
}

function figureOf(row: Row): Figure {
  const { minute, minutes, fromMemory, fromEngine, refused, failed, ...measured } = figureRow.read(row);
  const { state, block, chainBlock, lagBlocks, lagSeconds, events, p50, p95 } = measured;
  return {
    at: minute * minuteLength,
    minutes,
    fromMemory,
    fromEngine,
    refused,
    failed,
    ...(state !== null && { state }),
    ...(block !== null && { block }),
    ...(chainBlock !== null && { chainBlock }),
    ...(lagBlocks !== null && { lagBlocks }),
    ...(lagSeconds !== null && { lagSeconds }),
    ...(events !== null && { eventsPerSecond: events }),
    ...(p50 !== null && { p50 }),
    ...(p95 !== null && { p95 }),
  };
}

function minuteOf(at: number): number {
  return Math.floor(at / minuteLength);
}
