import {
  bytes,
  columns,
  computed,
  integer,
  nullable,
  type RowOf,
  text,
} from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { arrayText, plainArrayText } from "../../store/database/sql-array.js";
import { longBucketOf } from "../figures/durations.js";
import { countSettled } from "./outcome-figures.js";
import type { SenderLimits } from "./sender-limits.js";
import { retryRule } from "./webhooks.js";

const dueRow = columns({
  id: text,
  project: text,
  name: text,
  /** `name/version` of the subgraph. */
  dataSource: computed(SQL`subgraph || '/' || version`, text),
  entity: text,
  url: text,
  /** Encrypted. */
  secret: bytes,
  ...retryRule,
});
const claimedRow = columns(
  {
    seq: text,
    id: text,
    op: text,
    /** JSON. */
    old: nullable(text),
    /** JSON. */
    new: nullable(text),
    /** Attempts before this one. */
    attempts: integer,
  },
  "e",
);

/** A webhook with events to send now. */
export type DueWebhook = RowOf<typeof dueRow>;

/** An event that its claimant must send. */
export type ClaimedEvent = RowOf<typeof claimedRow>;

/** How an attempt ended. */
export interface Outcome {
  readonly seq: string;
  readonly status: "delivered" | "failed" | "pending";
  /** Milliseconds until the next attempt. */
  readonly wait: number;
  readonly answerStatus: number | null;
  readonly error: string | null;
  /** The beginning of the receiver's answer; null if it did not answer. */
  readonly answerBody: string | null;
  /** Milliseconds. */
  readonly duration: number;
  /** The receiver took another event after the attempt began, so this failure does not mean that it is down. */
  readonly isExcused?: boolean;
}

/**
 * One webhook as it is now, whether or not it has events to send; `undefined` if it is gone. @throws
 * DatabaseError
 */
export async function findDue(sql: Sql, id: string): Promise<DueWebhook | undefined> {
  const [row] = await sql.query(SQL`select ${dueRow.list} from graphloom.webhooks where id = $1::text`, [id]);
  return row && dueRow.read(row);
}

/** The webhooks with events to send now. @throws DatabaseError */
export async function dueWebhooks(sql: Sql): Promise<readonly DueWebhook[]> {
  const rows = await sql.query(
    SQL`select ${dueRow.list}
      from graphloom.webhooks w
      where not is_paused and (rests_until is null or rests_until <= now()) and exists (
        select 1 from graphloom.webhook_events e
          where e.webhook = w.id and e.status = 'pending' and e.due_at <= now())
      order by id`,
  );
  return rows.map(dueRow.read);
}

/**
 * Claims the next events of a webhook; until the claim expires, no other server gets them. It claims only the first
 * pending event of each entity, so that the events of an entity arrive in order. When the receiver is down, it claims a
 * single event, and no server gets another one until the claim expires.
 * @param lease identifies the claimant
 * @param time milliseconds
 * @throws DatabaseError
 */
export async function claimEvents(
  sql: Sql,
  { webhook, lease, most, time }: { webhook: string; lease: string; most: number; time: number },
  { downAfter }: Pick<SenderLimits, "downAfter">,
): Promise<readonly ClaimedEvent[]> {
  const rows = await sql.query(
    SQL`with hook as (
        select id, failures >= $5::integer as is_down from graphloom.webhooks
          where id = $1::text and not is_paused and (rests_until is null or rests_until <= now()) for update),
      first as (
        select e.seq, e.due_at, row_number() over (partition by e.entity_key order by e.seq) as place
          from graphloom.webhook_events e where e.webhook = $1::text and e.status = 'pending'),
      next as (
        select seq from first where place = 1 and due_at <= now()
          order by seq limit (select case when bool_or(is_down) then 1 else $3::integer end from hook)),
      due as (
        select e.seq from graphloom.webhook_events e
          where e.seq in (select seq from next) and exists (select 1 from hook)
            and e.status = 'pending' and e.due_at <= now()
          for update skip locked),
      resting as (
        update graphloom.webhooks w set rests_until = now() + $4::bigint * interval '1 millisecond'
          from hook where w.id = hook.id and hook.is_down and exists (select 1 from due)),
      claimed as (
        update graphloom.webhook_events e
          set lease = $2::uuid, due_at = now() + $4::bigint * interval '1 millisecond'
          from due where e.seq = due.seq returning ${claimedRow.list})
      select * from claimed order by seq`,
    [webhook, lease, String(most), String(time), String(downAfter)],
  );
  return rows.map(claimedRow.read);
}

/**
 * Records how attempts of a webhook ended, and the health of its receiver.
 * @param outcomes in the order in which they ended; events that the lease no longer holds are left alone
 * @throws DatabaseError
 */
export async function settleEvents(
  sql: Sql,
  { webhook, lease, outcomes }: { webhook: string; lease: string; outcomes: readonly Outcome[] },
  { downAfter, second, longestRest }: Pick<SenderLimits, "downAfter" | "second" | "longestRest">,
): Promise<void> {
  const lastSuccess = outcomes.findLastIndex(({ status }) => status === "delivered");
  const failures = outcomes.slice(lastSuccess + 1).filter(({ isExcused = false }) => !isExcused);
  const failuresSince = failures.length;
  await sql.query(
    SQL`with settled as (
        update graphloom.webhook_events e
          set status = o.status, attempts = e.attempts + 1, lease = null, attempted_at = now(),
            due_at = now() + o.wait * interval '1 millisecond', answer_status = o.answer_status, error = o.error,
            duration = o.duration, answer_body = o.answer_body
          from unnest($3::bigint[], $4::text[], $5::bigint[], $6::integer[], $7::text[], $8::integer[], $13::text[],
              $14::integer[]) as o(seq, status, wait, answer_status, error, duration, answer_body, bucket)
          where e.seq = o.seq and e.lease = $2::uuid returning o.status, o.bucket),
      figured as (${countSettled(SQL`$1::text`, SQL`settled`)}),
      health as (
        select id, failures, ${failuresSince}::integer + case when $9::boolean then 0 else failures end as failing,
            least(retry_interval * $11::bigint * power(2, least(6, greatest(0,
              ${failuresSince}::integer + case when $9::boolean then 0 else failures end - $10::integer))), $12::bigint) as rest
          from graphloom.webhooks where id = $1::text for update)
      update graphloom.webhooks w
        set failures = h.failing, rests_until = case when h.failing >= $10::integer
          then now() + h.rest * interval '1 millisecond' end
        from health h where w.id = h.id and (h.failing > 0 or h.failures > 0)`,
    [
      webhook,
      lease,
      plainArrayText(outcomes.map(({ seq }) => seq)),
      plainArrayText(outcomes.map(({ status }) => status)),
      plainArrayText(outcomes.map(({ wait }) => Math.round(wait))),
      plainArrayText(outcomes.map(({ answerStatus }) => answerStatus)),
      arrayText(outcomes.map(({ error }) => error)),
      plainArrayText(outcomes.map(({ duration }) => Math.round(duration))),
      String(lastSuccess >= 0),
      String(downAfter),
      String(second),
      String(longestRest),
      arrayText(outcomes.map(({ answerBody }) => answerBody)),
      plainArrayText(outcomes.map(({ duration }) => longBucketOf(duration))),
    ],
  );
}

/** Releases claimed events that were not sent. @throws DatabaseError */
export async function releaseEvents(sql: Sql, lease: string): Promise<void> {
  await sql.query(
    SQL`update graphloom.webhook_events set lease = null, due_at = now()
      where status = 'pending' and lease = $1::uuid`,
    [lease],
  );
}
