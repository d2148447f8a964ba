import type { Caller } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { checkReceiver } from "./address-policy.js";
import { requireWebhook } from "./manage-webhooks.js";
import { wakeSenders } from "./outbox.js";
import { updateWebhook, type Webhook, type WebhookChange } from "./webhooks.js";

/**
 * Changes the receiver or the retries of a webhook. A new address is tried at once, even if the old receiver was down.
 * @returns the changed webhook
 * @throws Problem `webhook-not-found`, or `unprocessable` for an address that the server does not send to; DatabaseError
 */
export async function changeWebhook(
  { database, settings }: Pick<Platform, "database" | "settings">,
  caller: Caller,
  name: string,
  change: WebhookChange,
): Promise<Webhook> {
  if (change.url !== undefined) checkReceiver(settings, change.url);
  const changed = await database.transaction(async (sql) => {
    const { id } = await requireWebhook(sql, caller, name);
    await noteChange(sql, caller, "webhook.change", name);
    return updateWebhook(sql, id, change);
  });
  await wakeSenders(database);
  return changed;
}
