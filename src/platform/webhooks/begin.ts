import type { HostedStorage } from "../../hosting/engine.js";
import type { Database } from "../../store/database/database.js";
import { fedWebhook, hasBegun } from "./feeding.js";

/** The name of the feed reader of a webhook. */
export function readerOf(webhook: string): string {
  return `webhook ${webhook}`;
}

/** The name of the feed reader of the entities that exist when a webhook starts. */
export function startReaderOf(webhook: string): string {
  return `${readerOf(webhook)} start`;
}

/**
 * Starts a webhook: from now on its feed contains every change.
 * @param holder the holder of the right to start it
 * @throws DatabaseError
 */
export async function beginWebhook(
  database: Database,
  storage: HostedStorage,
  { id, entity }: { readonly id: string; readonly entity: string },
  holder: string,
): Promise<void> {
  const feed = storage.feed(readerOf(id), [entity]);
  // Another server may have started it, and died before it could record that.
  const cursor = await feed.start();
  await hasBegun(database, id, holder, cursor);
  // It was deleted meanwhile: without it, the changes that the feed keeps would never be freed.
  if (!(await fedWebhook(database, id))) await feed.end();
}

/** Ends the feed readers of a webhook. @throws DatabaseError */
export async function endFeeds(
  storage: HostedStorage,
  { id, entity }: { readonly id: string; readonly entity: string },
): Promise<void> {
  for (const reader of [readerOf(id), startReaderOf(id)]) await storage.feed(reader, [entity]).end();
}
