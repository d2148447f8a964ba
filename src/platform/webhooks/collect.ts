import type { HostedStorage } from "../../hosting/engine.js";
import type { Database } from "../../store/database/database.js";
import { type Cursor, type Feed, SnapshotLost } from "../../store/tables/feed.js";
import type { EntityTable } from "../../store/tables/layout.js";
import { readerOf, startReaderOf } from "./begin.js";
import { type FedWebhook, fedWebhook, type Hold, hold, letGo, moveCursor, owesNothing } from "./feeding.js";
import { addEvents, countPending } from "./outbox.js";
import { changeEvents, type EventSource, startEvent } from "./row-events.js";
import type { SenderLimits } from "./sender-limits.js";

/** What is needed to make a webhook's events. */
export interface Source extends EventSource {
  readonly database: Database;
  readonly storage: HostedStorage;
  readonly feed: Feed;
  readonly limits: Pick<SenderLimits, "mostPending" | "batch">;
}

/** How far the making of events has come. */
export type Collected =
  /** There may be more. */
  | "more"
  /** There is no more up to the place that was asked for. */
  | "done"
  /** So many wait to be sent that no more are made. */
  | "full"
  /** Another server makes them, or the webhook is gone. */
  | "other";

/** What is needed for a webhook's events. @throws Error when its entity is not among the tables */
export function sourceOf(
  database: Database,
  storage: HostedStorage,
  { id, entity }: FedWebhook,
  limits: Source["limits"],
): Source {
  const table: EntityTable | undefined = storage.layout.tables.find(({ name }) => name === entity);
  if (!table) throw new Error(`the table ${entity} of the webhook ${id} does not exist`);
  const feed = storage.feed(readerOf(id), [entity]);
  return { database, storage, feed, table, limits, webhook: id, deployment: storage.deployment.id };
}

/**
 * Makes events of the next changes; they and the place where the next ones begin are one transaction.
 * @param from where the webhook's events go on
 * @param until the last place; all there is when left out
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
    return true;
  });
  if (!isOurs) return { state: "other", cursor: from };
  await feed.keep(cursor);
  return { state: isAll ? "done" : "more", cursor };
}

/** How to wait while so many events wait that no more are made; false when the waiting is over for good. */
export type Patience = () => Promise<boolean>;

/**
 * Makes events of what is there, for a webhook that owes it: all changes up to a state of the tables, then the rows of
 * that state. Interrupted, it is done again with a later state, which is right for receivers, too: the changes in
 * between are among the events, and come before.
 * @param held the right to, which was taken
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

/** @returns whether it is over: done, or not ours to do; otherwise the state was lost, and it is to begin again */
async function tryStart(source: Source, start: Feed, held: Hold, wait: Patience): Promise<boolean> {
  const { database, webhook, limits } = source;
  const mayGoOn = async (): Promise<boolean> => (await wait()) && hold(database, webhook, held);
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
      const events = rows.map((row, index) => startEvent(source, snapshot.cursor, row, blocks[index] ?? 0));
      const isOurs = await database.transaction(async (sql) => {
        if (!(await hold(sql, webhook, held))) return false;
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
