import {
  cell,
  columns,
  computed,
  integer,
  nullable,
  oneOf,
  type RowOf,
  text,
  time,
} from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { notify } from "../../store/database/notify.js";
import { arrayText, plainArrayText } from "../../store/database/sql-array.js";
import type { WebhookEvent } from "./event.js";

/** The channel that tells dispatchers about new work. */
export const webhookChannel = "graphloom_webhooks";

/**
 * Adds events to a webhook's outbox; existing ones stay unchanged.
 * Call it in the transaction that moves the webhook's cursor.
 * @throws DatabaseError
 */
export async function addEvents(sql: Sql, webhook: string, events: readonly WebhookEvent[]): Promise<void> {
  if (events.length === 0) return;
  const json = (row: unknown): string | null => (row === null ? null : JSON.stringify(row));
  await sql.query(
    SQL`insert into graphloom.webhook_events (webhook, id, op, block, entity_key, old, new)
      select $1::text, e.id, e.op, e.block, e.key, e.old, e.new
        from unnest($2::uuid[], $3::text[], $4::integer[], $5::bigint[], $6::json[], $7::json[])
          with ordinality as e(id, op, block, key, old, new, place)
        order by e.place
      on conflict (webhook, id) do nothing`,
    [
      webhook,
      plainArrayText(events.map(({ id }) => id)),
      plainArrayText(events.map(({ op }) => op)),
      plainArrayText(events.map(({ block }) => block)),
      plainArrayText(events.map((event) => event.entityKey)),
      arrayText(events.map(({ old }) => json(old))),
      arrayText(events.map((event) => json(event.new))),
    ],
  );
  await wakeSenders(sql);
}

/** The pending events of all webhooks. */
export interface Outbox {
  readonly events: number;
  /** Seconds since the oldest of them was created; absent when there are none. */
  readonly age?: number;
}

/** @throws DatabaseError */
export async function readOutbox(sql: Sql): Promise<Outbox> {
  const [row] = await sql.query(
    SQL`select (select count(*) from graphloom.webhook_events where status = 'pending') as events,
        (select extract(epoch from now() - min(first.created_at)) from graphloom.webhooks w cross join lateral (
          select e.created_at from graphloom.webhook_events e
            where e.webhook = w.id and e.status = 'pending' order by e.seq limit 1) first) as age`,
  );
  return { events: Number(row?.events), ...(row?.age != null && { age: Math.max(0, Number(row.age)) }) };
}

/** Wakes the dispatchers once the transaction commits. */
export async function wakeSenders(sql: Sql): Promise<void> {
  await notify(sql, webhookChannel);
}

/** The number of events that a webhook still has to send. @throws DatabaseError */
export async function countPending(sql: Sql, webhook: string): Promise<number> {
  const [row] = await sql.query(
    SQL`select count(*) as n from graphloom.webhook_events where webhook = $1::text and status = 'pending'`,
    [webhook],
  );
  return Number(row?.n);
}

const createdRow = columns({ createdAt: time });

/** The time since when a webhook's oldest event has been waiting; `undefined` if none is. @throws DatabaseError */
export async function oldestPending(sql: Sql, webhook: string): Promise<Date | undefined> {
  const [row] = await sql.query(
    SQL`select ${createdRow.list} from graphloom.webhook_events
      where webhook = $1::text and status = 'pending' order by seq limit 1`,
    [webhook],
  );
  return row && createdRow.read(row).createdAt;
}

/** How many finished events to keep for each webhook. */
export const keptEvents = { delivered: 1_000, failed: 10_000 } as const;

/** Deletes the oldest finished events. @throws DatabaseError */
export async function trimEvents(sql: Sql, webhook: string): Promise<void> {
  for (const [status, kept] of Object.entries(keptEvents)) {
    await sql.query(
      SQL`delete from graphloom.webhook_events where webhook = $1::text and status = $2::text and seq <= (
        select seq from graphloom.webhook_events where webhook = $1::text and status = $2::text
          order by seq desc offset $3::integer limit 1)`,
      [webhook, status, String(kept)],
    );
  }
}

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const deliveryRow = columns({
  seq: text,
  id: text,
  op: text,
  block: integer,
  /** The id of the entity, in the form that receivers get. */
  entityId: computed(SQL`coalesce(new, old)->>'id'`, nullable(text)),
  vid: computed(SQL`coalesce(new, old)->>'vid'`, nullable(text)),
  status: oneOf(deliveryStatuses),
  /** The number of finished attempts. */
  attempts: integer,
  /** Null if the receiver did not answer. */
  answerStatus: nullable(integer),
  error: nullable(text),
  /** Milliseconds of the last attempt. */
  duration: nullable(integer),
  createdAt: time,
  attemptedAt: nullable(time),
  /** The time of the next attempt; absent once the delivery is finished. */
  dueAt: computed(SQL`case when status = 'pending' then due_at end`, nullable(time)),
});

/** An event and the state of its delivery. */
export type Delivery = RowOf<typeof deliveryRow>;

const payloadRow = columns({
  /** JSON. */
  old: computed(SQL`old::text`, nullable(text)),
  /** JSON. */
  new: computed(SQL`new::text`, nullable(text)),
  /** The beginning of the receiver's last answer. */
  answerBody: nullable(text),
});

/** An event with its rows and the receiver's answer. */
export interface WholeDelivery extends Delivery, RowOf<typeof payloadRow> {}

/** Finds an event of a webhook. @param id a UUID @throws DatabaseError */
export async function findDelivery(
  sql: Sql,
  webhook: string,
  id: string,
): Promise<WholeDelivery | undefined> {
  const [row] = await sql.query(
    SQL`select ${deliveryRow.list}, ${payloadRow.list} from graphloom.webhook_events
      where webhook = $1::text and id = $2::uuid`,
    [webhook, id],
  );
  return row && { ...deliveryRow.read(row), ...payloadRow.read(row) };
}

/** The numbers of events that webhooks keep, by webhook and state. @param webhooks their ids @throws DatabaseError */
export async function countDeliveries(
  sql: Sql,
  webhooks: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Partial<Record<DeliveryStatus, number>>>>> {
  if (webhooks.length === 0) return new Map();
  const rows = await sql.query(
    SQL`select webhook, status, count(*) as n from graphloom.webhook_events
      where webhook = any($1::text[]) group by webhook, status`,
    [arrayText(webhooks)],
  );
  const counts = new Map<string, Record<string, number>>();
  for (const row of rows) {
    const webhook = cell(row, "webhook");
    const own = counts.get(webhook) ?? {};
    counts.set(webhook, { ...own, [cell(row, "status")]: Number(cell(row, "n")) });
  }
  return counts;
}

/** Selects a page of deliveries, newest first, before a given one. */
export interface DeliveryPage {
  readonly status?: DeliveryStatus;
  readonly before?: string;
  readonly limit: number;
}

/** The last events of a webhook, newest first. @throws DatabaseError */
export async function listDeliveries(
  sql: Sql,
  webhook: string,
  { status, before, limit }: DeliveryPage,
): Promise<readonly Delivery[]> {
  const rows = await sql.query(
    SQL`select ${deliveryRow.list} from graphloom.webhook_events
      where webhook = $1::text and ($2::text is null or status = $2::text) and ($3::bigint is null or seq < $3::bigint)
      order by seq desc limit $4::integer`,
    [webhook, status ?? null, before ?? null, String(limit)],
  );
  return rows.map(deliveryRow.read);
}

/**
 * Queues an event for redelivery, with all its retries; pending events of the same entity follow it.
 * @returns whether the project has this event
 * @throws DatabaseError
 */
export async function sendAgain(sql: Sql, project: string, id: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.webhook_events e set status = 'pending', attempts = 0, due_at = now(), lease = null
      from graphloom.webhooks w where w.id = e.webhook and w.project = $1::text and e.id = $2::uuid
      returning e.seq`,
    [project, id],
  );
  if (rows.length > 0) await wakeSenders(sql);
  return rows.length > 0;
}

/**
 * Queues all failed events of a webhook again, with all their retries.
 * @returns their number
 * @throws DatabaseError
 */
export async function sendFailedAgain(sql: Sql, webhook: string): Promise<number> {
  const rows = await sql.query(
    SQL`with again as (
        update graphloom.webhook_events set status = 'pending', attempts = 0, due_at = now(), lease = null
          where webhook = $1::text and status = 'failed' returning seq)
      select count(*) as n from again`,
    [webhook],
  );
  const count = Number(rows[0]?.n);
  if (count > 0) await wakeSenders(sql);
  return count;
}
