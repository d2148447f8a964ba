import type { HostedStorage } from "../../hosting/engine.js";
import type { Database } from "../../store/database/database.js";
import { type Cursor, type Feed, SnapshotLost } from "../../store/tables/feed.js";
import type { EntityTable } from "../../store/tables/layout.js";
import { readerOf, startReaderOf } from "./begin.js";
import {
  extendHold,
  type FedWebhook,
  fedWebhook,
  type Hold,
  letGo,
  moveCursor,
  owesNothing,
} from "./feeding.js";
import { addEvents, countPending } from "./outbox.js";
import { changeEvents, type EventSource, startEvent } from "./row-events.js";
import type { SenderLimits } from "./sender-limits.js";

/** The means to create the events of a webhook. */
export interface Source extends EventSource {
  readonly database: Database;
  readonly storage: HostedStorage;
  readonly feed: Feed;
  readonly limits: Pick<SenderLimits, "mostPending" | "batch">;
}

/** The result of one round of creating events. */
export type Collected =
  /** There may be more. */
  | "more"
  /** There are no more up to the requested position. */
  | "done"
  /** So many events are pending that no more are created. */
  | "full"
  /** Another server creates them, or the webhook no longer exists. */
  | "other";

/** The source of a webhook's events. @throws Error when the deployment has no table for its entity */
export function sourceOf(
  database: Database,
  storage: HostedStorage,
  { id, entity, build }: FedWebhook,
  limits: Source["limits"],
): Source {
  const table: EntityTable | undefined = storage.layout.tables.find(({ name }) => name === entity);
  if (!table) throw new Error(`the table ${entity} of the webhook ${id} does not exist`);
  const feed = storage.feed(readerOf(id), [entity]);
  return { database, storage, feed, table, limits, webhook: id, build };
}

/**
 * Creates events from the next changes. The events and the new cursor are written in one transaction.
 * @param from the webhook's cursor
 * @param until the last position; by default, the end of the feed
 * @throws DatabaseError
 */
export async function collectChanges(
  source: Source,
  from: Cursor,
  until?: Cursor,
): Promise<{ readonly state: Collected; readonly cursor: Cursor }> {
  const { database, feed, webhook, limits } = source;
  const latest = await feed.latest();
  const last = until !== undefined && until < latest ? until : latest;
  if (last <= from) return { state: "done", cursor: from };
  if ((await countPending(database, webhook)) >= limits.mostPending) return { state: "full", cursor: from };
  const changes = await feed.changes(from, limits.batch);
  const wanted = changes.filter(({ cursor }) => cursor <= last);
  const isAll = changes.length < limits.batch || wanted.length < changes.length;
  const cursor = isAll ? last : (wanted.at(-1)?.cursor ?? last);
  const isOurs = await database.transaction(async (sql) => {
    if (!(await moveCursor(sql, webhook, from, cursor))) return false;
    await addEvents(
      sql,
      webhook,
      wanted.flatMap((change) => changeEvents(source, change)),
    );
    // Later, the database might have returned to an earlier state, and still need the changes.
    await feed.keep(cursor, sql);
    return true;
  });
  if (!isOurs) return { state: "other", cursor: from };
  return { state: isAll ? "done" : "more", cursor };
}

/** Waits while too many events are pending; false when the collector is to stop. */
export type Patience = () => Promise<boolean>;

/**
 * Creates events for the existing entities, for a webhook that sends them first: all changes up to a snapshot of the
 * tables, then the rows of the snapshot. After an interruption it starts again with a later snapshot. That is correct for
 * receivers too, because the changes in between come first among the events.
 * @param held the right to start the webhook, which the caller has taken
 * @throws DatabaseError
 */
export async function collectStart(source: Source, held: Hold, wait: Patience): Promise<void> {
  const { storage, table, webhook } = source;
  const start = storage.feed(startReaderOf(webhook), [table.name]);
  try {
    for (let isOver = false; !isOver; ) isOver = await tryStart(source, start, held, wait);
  } finally {
    await start.end();
    await letGo(source.database, webhook, held.holder);
  }
}

/** @returns true when it is finished or another server does it; false when it must start again: the snapshot was lost */
async function tryStart(source: Source, start: Feed, held: Hold, wait: Patience): Promise<boolean> {
  const { database, webhook, limits } = source;
  const mayGoOn = async (): Promise<boolean> => (await wait()) && extendHold(database, webhook, held);
  const snapshot = await start.begin();
  let cursor = (await fedWebhook(database, webhook))?.cursor;
  for (let state: Collected = "more"; state !== "done"; ) {
    if (cursor === undefined || state === "other") return true;
    if (state === "full" && !(await mayGoOn())) return true;
    ({ state, cursor } = await collectChanges(source, cursor, snapshot.cursor));
  }
  try {
    for await (const { rows, blocks } of snapshot.pages(limits.batch)) {
      while ((await countPending(database, webhook)) >= limits.mostPending) {
        if (!(await mayGoOn())) return true;
      }
      const events = rows.map((row, index) => startEvent(source, snapshot.origin, row, blocks[index] ?? 0));
      const isOurs = await database.transaction(async (sql) => {
        if (!(await extendHold(sql, webhook, held))) return false;
        await addEvents(sql, webhook, events);
        return true;
      });
      if (!isOurs) return true;
    }
  } catch (error) {
    if (error instanceof SnapshotLost) return false;
    throw error;
  }
  await owesNothing(database, webhook, held.holder);
  return true;
}
