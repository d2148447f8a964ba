import type { HostedStorage } from "../../hosting/engine.js";
import type { Database } from "../../store/database/database.js";
import { hasBegun } from "./feeding.js";

/** What a webhook is known by to the feed of its entity. */
export function readerOf(webhook: string): string {
  return `webhook ${webhook}`;
}

/** What the reader is known by who reads what was there when a webhook began. */
export function startReaderOf(webhook: string): string {
  return `${readerOf(webhook)} start`;
}

/**
 * Has a webhook begin: what changes from now on is in its feed.
 * @param holder who has the right to
 * @throws DatabaseError
 */
export async function beginWebhook(
  database: Database,
  storage: HostedStorage,
  { id, entity }: { readonly id: string; readonly entity: string },
  holder: string,
): Promise<void> {
  const feed = storage.feed(readerOf(id), [entity]);
  // Who had begun it may have died before they could say so.
  const cursor = (await feed.cursor()) ?? (await feed.begin()).cursor;
  await hasBegun(database, id, holder, cursor);
}

/** Nobody reads for a webhook any more. @throws DatabaseError */
export async function endFeeds(
  storage: HostedStorage,
  { id, entity }: { readonly id: string; readonly entity: string },
): Promise<void> {
  for (const reader of [readerOf(id), startReaderOf(id)]) await storage.feed(reader, [entity]).end();
}
