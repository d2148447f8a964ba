import type { Database, Sql } from "../../store/database/database.js";
import { type Caller, requireRole } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { findVersion, type SubgraphVersion } from "../subgraphs/versions.js";
import { endFeeds } from "./begin.js";
import { storageOf } from "./create-webhook.js";
import {
  type Delivery,
  type DeliveryPage,
  findDelivery,
  listDeliveries,
  sendAgain,
  sendFailedAgain,
  type WholeDelivery,
  wakeSenders,
} from "./outbox.js";
import { deleteWebhook, findWebhook, setWebhookPaused, type Webhook } from "./webhooks.js";

/**
 * The webhook with this name in the caller's project.
 * @param how as for `findWebhook`
 * @throws Problem `webhook-not-found`; DatabaseError
 */
export async function requireWebhook(
  sql: Sql,
  { project }: Caller,
  name: string,
  how?: { readonly isLocked: boolean },
): Promise<Webhook> {
  return (await findWebhook(sql, project, name, how)) ?? missing(name);
}

/**
 * Like `requireWebhook`, for a webhook that must belong to a given version. @throws Problem `webhook-not-found`;
 * DatabaseError
 */
export async function requireWebhookOf(
  sql: Sql,
  caller: Caller,
  of: Pick<SubgraphVersion, "name" | "version">,
  name: string,
): Promise<Webhook> {
  const found = await requireWebhook(sql, caller, name);
  return found.subgraph === of.name && found.version === of.version ? found : missing(name);
}

/**
 * Pauses or resumes a webhook. A resumed webhook tries its receiver at once, even if the receiver was down.
 * @returns the changed webhook
 * @throws Problem `webhook-not-found`; DatabaseError
 */
export async function pauseWebhook(
  database: Database,
  caller: Caller,
  name: string,
  isPaused: boolean,
): Promise<Webhook> {
  requireRole(caller, "Editor");
  const changed = await database.transaction(async (sql) => {
    await noteChange(sql, caller, isPaused ? "webhook.pause" : "webhook.resume", name);
    return (await setWebhookPaused(sql, caller.project, name, isPaused)) ?? missing(name);
  });
  await wakeSenders(database);
  return changed;
}

/** Deletes a webhook with its events. @throws Problem `webhook-not-found`, or when its engine is unavailable; DatabaseError */
export async function removeWebhook(platform: Platform, caller: Caller, name: string): Promise<void> {
  requireRole(caller, "Editor");
  const { database } = platform;
  const { project } = caller;
  const webhook = await requireWebhook(database, caller, name);
  const version = await findVersion(database, { project, name: webhook.subgraph, version: webhook.version });
  const storage = version && (await storageOf(platform, version));
  // End the feeds first: without the webhook, the changes that they keep would never be freed.
  if (storage) await endFeeds(storage, webhook);
  await database.transaction(async (sql) => {
    if (await deleteWebhook(sql, project, name)) await noteChange(sql, caller, "webhook.delete", name);
  });
  // Another server may have begun them meanwhile.
  if (storage) await endFeeds(storage, webhook);
}

/** A page of deliveries, newest first. */
export interface DeliveriesPage {
  readonly deliveries: readonly Delivery[];
  /** The value of `before` for the next page; absent after the last page. */
  readonly next?: string;
}

/** The last deliveries of a webhook. @throws DatabaseError */
export async function readDeliveries(
  sql: Sql,
  { id }: Pick<Webhook, "id">,
  page: DeliveryPage,
): Promise<DeliveriesPage> {
  const found = await listDeliveries(sql, id, { ...page, limit: page.limit + 1 });
  const deliveries = found.slice(0, page.limit);
  const last = deliveries.at(-1);
  return { deliveries, ...(last && found.length > page.limit && { next: last.seq }) };
}

/**
 * Sends an event again, with all its retries.
 * @param id the id of the event, as the caller wrote it
 * @returns the stored id
 * @throws Problem `not-found`; DatabaseError
 */
export async function redeliver(database: Database, caller: Caller, id: string): Promise<string> {
  requireRole(caller, "Editor");
  const key = id.toLowerCase();
  return database.transaction(async (sql) => {
    if (!uuid.test(id) || !(await sendAgain(sql, caller.project, id))) throw noEvent();
    await noteChange(sql, caller, "webhook.redeliver", key);
    return key;
  });
}

/**
 * Sends all failed events of a webhook again, with all their retries.
 * @returns their number
 * @throws Problem `webhook-not-found`; DatabaseError
 */
export async function redeliverFailed(database: Database, caller: Caller, name: string): Promise<number> {
  requireRole(caller, "Editor");
  return database.transaction(async (sql) => {
    const { id } = await requireWebhook(sql, caller, name);
    const count = await sendFailedAgain(sql, id);
    await noteChange(sql, caller, "webhook.redeliver-failed", name);
    return count;
  });
}

/** An event of a webhook, with its content and the receiver's answer. @throws Problem `not-found`; DatabaseError */
export async function showDelivery(
  sql: Sql,
  { id }: Pick<Webhook, "id">,
  event: string,
): Promise<WholeDelivery> {
  const found = uuid.test(event) ? await findDelivery(sql, id, event) : undefined;
  if (found) return found;
  throw noEvent();
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function noEvent(): Problem {
  return new Problem(
    "not-found",
    "The event does not exist or is no longer kept. The server keeps the last thousand delivered events of each webhook.",
  );
}

function missing(name: string): never {
  throw new Problem("webhook-not-found", `The project has no webhook ${name}.`);
}
