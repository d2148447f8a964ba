import { boolean, columns, computed, optional, type RowOf, text } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import type { Cursor } from "../../store/tables/feed.js";

const fedRow = columns(
  {
    id: text,
    /** The name of the entity's table. */
    entity: text,
    /** The IPFS hash of the build, and the engine that indexes it. */
    build: computed(SQL`v.deployment`, text),
    engine: computed(SQL`b.engine`, text),
    /** The position of its next events; absent before it has started. */
    cursor: optional(text),
    owesStart: boolean,
  },
  "w",
);

/** A webhook, as the collector sees it. */
export type FedWebhook = RowOf<typeof fedRow>;

const tables = SQL`graphloom.webhooks w
  join graphloom.versions v on v.project = w.project and v.name = w.subgraph and v.version = w.version
  join graphloom.builds b on b.deployment = v.deployment`;

/** All webhooks. @throws DatabaseError */
export async function fedWebhooks(sql: Sql): Promise<readonly FedWebhook[]> {
  return (await sql.query(SQL`select ${fedRow.list} from ${tables} order by w.created_at, w.id`)).map(
    fedRow.read,
  );
}

/** The current state of one webhook. @throws DatabaseError */
export async function fedWebhook(sql: Sql, id: string): Promise<FedWebhook | undefined> {
  const [row] = await sql.query(SQL`select ${fedRow.list} from ${tables} where w.id = $1::text`, [id]);
  return row && fedRow.read(row);
}

/**
 * Moves a webhook's cursor, if it is still at `from`. Call it before adding the events, in the same transaction.
 * @returns whether it moved: otherwise another server has created the events
 * @throws DatabaseError
 */
export async function moveCursor(sql: Sql, id: string, from: Cursor, to: Cursor): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.webhooks set cursor = $3::text where id = $1::text and cursor = $2::text returning id`,
    [id, from, to],
  );
  return rows.length > 0;
}

/** The right to start a webhook, which excludes other servers for a time. */
export interface Hold {
  /** A UUID. */
  readonly holder: string;
  /** Milliseconds from now on. */
  readonly time: number;
}

/**
 * Takes the right to start a webhook.
 * @returns whether it was granted: not while another server holds it, nor when the webhook no longer exists
 * @throws DatabaseError
 */
export async function hold(sql: Sql, id: string, { holder, time }: Hold): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.webhooks set holder = $2::uuid, held_until = now() + $3::bigint * interval '1 millisecond'
      where id = $1::text and (holder is null or holder = $2::uuid or held_until < now()) returning id`,
    [id, holder, String(time)],
  );
  return rows.length > 0;
}

/**
 * Extends the right to start a webhook.
 * @returns whether it is still there: not after another server had it, which may have finished the start
 * @throws DatabaseError
 */
export async function extendHold(sql: Sql, id: string, { holder, time }: Hold): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.webhooks set held_until = now() + $3::bigint * interval '1 millisecond'
      where id = $1::text and holder = $2::uuid returning id`,
    [id, holder, String(time)],
  );
  return rows.length > 0;
}

/** Records that a webhook has started at a cursor. @throws DatabaseError */
export async function hasBegun(sql: Sql, id: string, holder: string, cursor: Cursor): Promise<void> {
  await sql.query(
    SQL`update graphloom.webhooks set cursor = $3::text, holder = null, held_until = null
      where id = $1::text and holder = $2::uuid and cursor is null`,
    [id, holder, cursor],
  );
}

/** Records that the events of a webhook include the existing entities. @throws DatabaseError */
export async function owesNothing(sql: Sql, id: string, holder: string): Promise<void> {
  await sql.query(
    SQL`update graphloom.webhooks set owes_start = false where id = $1::text and holder = $2::uuid`,
    [id, holder],
  );
}

/** Gives up the right to start a webhook. @throws DatabaseError */
export async function letGo(sql: Sql, id: string, holder: string): Promise<void> {
  await sql.query(
    SQL`update graphloom.webhooks set holder = null, held_until = null where id = $1::text and holder = $2::uuid`,
    [id, holder],
  );
}
