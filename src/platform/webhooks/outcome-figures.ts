import { columns, integer, nullable, type RowOf, text, texts } from "../../store/database/columns.js";
import { SQL, type Sql, type SqlFragment } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import type { Span } from "../figures/figure.js";

const minuteLength = 60_000;
/** For how many minutes to keep rows of one minute, and rows of five. */
const keptMinutes = { 1: 24 * 60, 5: 31 * 24 * 60 } as const;

const figureRow = columns({
  minute: integer,
  delivered: integer,
  retried: integer,
  failed: integer,
  pending: nullable(integer),
  times: nullable(texts),
});

/** The number of attempts by outcome. Retried ones failed and were followed by another one. */
export type OutcomeCounts = Pick<RowOf<typeof figureRow>, "delivered" | "retried" | "failed">;

/** The outcomes of a webhook's attempts in one or more minutes. */
export interface OutcomeFigure extends OutcomeCounts {
  /** The beginning, in milliseconds since 1970. */
  readonly at: number;
  /** The most events that waited; absent if they were not counted. */
  readonly pending?: number;
  /** How many attempts took how long, by the buckets of `Durations`. */
  readonly times: readonly number[];
}

const steps = SQL`(values (1::smallint), (5::smallint)) as s (step)`;
const thisMinute = SQL`floor(extract(epoch from now()) / 60)::integer`;

/**
 * The part of a statement that adds settled attempts to the figures of a webhook. It is one statement with the settling, so
 * that each attempt is counted once, however many servers share the work.
 * @param webhook its id
 * @param settled a query's name, with the columns `status` and `bucket`
 */
export function countSettled(webhook: SqlFragment, settled: SqlFragment): SqlFragment {
  const sum = (name: SqlFragment) => SQL`${name} = f.${name} + excluded.${name}`;
  return SQL`insert into graphloom.webhook_figures as f (webhook, step, minute, delivered, retried, failed, times)
    select ${webhook}, s.step, ${thisMinute} / s.step * s.step, n.delivered, n.retried, n.failed, t.times
      from (select count(*) filter (where status = 'delivered') as delivered,
            count(*) filter (where status = 'pending') as retried, count(*) filter (where status = 'failed') as failed
          from ${settled} having count(*) > 0) n
        cross join (select array_agg((select count(*) from ${settled} where bucket = b) order by b) as times
          from generate_series(0, (select max(bucket) from ${settled})) as b) t
        cross join ${steps}
      order by s.step
    on conflict (webhook, step, minute) do update set ${sum(SQL`delivered`)}, ${sum(SQL`retried`)}, ${sum(SQL`failed`)},
      times = (select array_agg(coalesce(one, 0) + coalesce(other, 0) order by place)
        from unnest(f.times, excluded.times) with ordinality as u (one, other, place))`;
}

/**
 * Records how many events of each webhook are waiting. Of several measurements for one row, the greatest counts, so
 * that several servers may measure.
 * @throws DatabaseError
 */
export async function measurePending(sql: Sql): Promise<void> {
  // All code that settles attempts locks the webhook first, and then the figures.
  await sql.query(
    SQL`with hooks as materialized (select id from graphloom.webhooks order by id for key share),
      counted as (select id, (select count(*) from graphloom.webhook_events e
          where e.webhook = hooks.id and e.status = 'pending')::integer as pending from hooks)
      insert into graphloom.webhook_figures as f (webhook, step, minute, pending)
        select c.id, s.step, ${thisMinute} / s.step * s.step, c.pending from counted c cross join ${steps}
          order by c.id, s.step
        on conflict (webhook, step, minute) do update set pending = excluded.pending
          where f.pending is null or f.pending < excluded.pending`,
  );
}

/** Deletes figures past their retention. @throws DatabaseError */
export async function pruneOutcomes(sql: Sql): Promise<void> {
  for (const [step, kept] of Object.entries(keptMinutes)) {
    // By webhook, because the index begins with it.
    await sql.query(
      SQL`delete from graphloom.webhook_figures f using graphloom.webhooks w
        where f.webhook = w.id and f.step = $1::smallint and f.minute < ${thisMinute} - $2::integer`,
      [step, String(kept)],
    );
  }
}

const sumRow = columns({ webhook: text, delivered: integer, retried: integer, failed: integer });

/**
 * The outcomes of webhooks' attempts in a span: the sums of the rows of `readOutcomes`, by id. Webhooks without
 * attempts are left out.
 * @throws DatabaseError
 */
export async function sumOutcomes(
  sql: Sql,
  { project, webhooks }: { readonly project: string; readonly webhooks: readonly string[] },
  { from, to, step }: Span,
): Promise<ReadonlyMap<string, OutcomeCounts>> {
  if (webhooks.length === 0) return new Map();
  const rows = await sql.query(
    SQL`with sums as (
        select f.webhook, sum(f.delivered) as delivered, sum(f.retried) as retried, sum(f.failed) as failed
          from graphloom.webhook_figures f join graphloom.webhooks w on w.id = f.webhook
          where f.webhook = any($1::text[]) and w.project = $2::text and f.step = $3::smallint
            and f.minute >= $4::integer and f.minute < $5::integer
          group by f.webhook)
      select ${sumRow.list} from sums where delivered + retried + failed > 0`,
    [arrayText(webhooks), project, ...rowsOf({ from, to, step })],
  );
  return new Map(rows.map(sumRow.read).map(({ webhook, ...counts }) => [webhook, counts]));
}

/** The length of a span's rows, and its first and last minute. */
function rowsOf({ from, to, step }: Span): readonly string[] {
  const length = step >= 5 * minuteLength ? 5 : 1;
  return [length, Math.floor(from / minuteLength), Math.floor(to / minuteLength)].map(String);
}

/**
 * The figures of a webhook in the columns of a span, oldest first.
 * @param span its times in milliseconds; a column is at least a minute wide, and five before the last day
 * @throws DatabaseError
 */
export async function readOutcomes(
  sql: Sql,
  { id, project }: { readonly id: string; readonly project: string },
  span: Span,
): Promise<readonly OutcomeFigure[]> {
  const minutes = Math.max(1, Math.round(span.step / minuteLength));
  const rows = await sql.query(
    SQL`with own as (
        select f.minute / $6::integer * $6::integer as minute, delivered, retried, failed, pending, times
          from graphloom.webhook_figures f join graphloom.webhooks w on w.id = f.webhook
          where f.webhook = $1::text and w.project = $2::text and f.step = $3::smallint
            and f.minute >= $4::integer and f.minute < $5::integer),
      sums as (
        select minute, sum(delivered) as delivered, sum(retried) as retried, sum(failed) as failed,
            max(pending) as pending from own group by minute),
      buckets as (
        select minute, place, sum(count) as count from own, unnest(times) with ordinality as u (count, place)
          group by minute, place),
      all_times as (select minute, array_agg(count::text order by place) as times from buckets group by minute)
      select ${figureRow.list} from sums left join all_times using (minute) order by minute`,
    [id, project, ...rowsOf(span), String(minutes)],
  );
  return rows.map((row) => {
    const { minute, pending, times, ...counts } = figureRow.read(row);
    return {
      ...counts,
      at: minute * minuteLength,
      ...(pending !== null && { pending }),
      times: (times ?? []).map(Number),
    };
  });
}
