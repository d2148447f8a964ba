import { type Caller, requireRole } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { checkReceiver } from "./address-policy.js";
import { requireWebhook } from "./manage-webhooks.js";
import { wakeSenders } from "./outbox.js";
import { updateWebhook, type Webhook, type WebhookChange } from "./webhooks.js";

/**
 * Changes the URL or the retries of a webhook. A new URL is tried at once, even if the receiver was down.
 * @returns the changed webhook
 * @throws Problem `webhook-not-found`, `bad-request` for a URL on another host, or `unprocessable` for an address that
 *   the server does not send to; DatabaseError
 */
export async function changeWebhook(
  { database, settings }: Pick<Platform, "database" | "settings">,
  caller: Caller,
  name: string,
  change: WebhookChange,
): Promise<Webhook> {
  requireRole(caller, "Editor");
  if (change.url !== undefined) checkReceiver(settings, change.url);
  const changed = await database.transaction(async (sql) => {
    const { id, url } = await requireWebhook(sql, caller, name);
    if (change.url !== undefined) checkSameHost(url, change.url);
    await noteChange(sql, caller, "webhook.change", name);
    return updateWebhook(sql, id, change);
  });
  await wakeSenders(database);
  return changed;
}

/** Every request carries the secret, so whoever could choose another host would learn it. @throws Problem `bad-request` */
function checkSameHost(before: string, after: string): void {
  const { origin } = new URL(before);
  if (new URL(after).origin === origin) return;
  throw new Problem(
    "bad-request",
    "A webhook keeps its host, because the receiver there knows its secret. To send to another host, create a webhook, and delete this one.",
    { errors: [{ field: "webhook_url", message: `must stay at ${origin}` }] },
  );
}
