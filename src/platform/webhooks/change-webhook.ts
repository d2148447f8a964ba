import { type Caller, requireRole } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { seal } from "../sealing/sealed.js";
import { checkReceiver } from "./address-policy.js";
import { requireWebhook } from "./manage-webhooks.js";
import { wakeSenders } from "./outbox.js";
import type { AskedChange } from "./read-new-webhook.js";
import { updateWebhook, type Webhook } from "./webhooks.js";

/**
 * Changes the URL, the secret or the retries of a webhook. A new URL is tried at once, even if the receiver was down.
 * @returns the changed webhook
 * @throws Problem `webhook-not-found`, `bad-request` for a new URL without a secret, or `unprocessable` for an address
 *   that the server does not send to; DatabaseError
 */
export async function changeWebhook(
  { database, settings, secretKey }: Pick<Platform, "database" | "settings" | "secretKey">,
  caller: Caller,
  name: string,
  { secret, ...change }: AskedChange,
): Promise<Webhook> {
  requireRole(caller, "Editor");
  if (change.url !== undefined) checkReceiver(settings, change.url);
  const changed = await database.transaction(async (sql) => {
    const { id, url } = await requireWebhook(sql, caller, name, { isLocked: true });
    if (secret === undefined && isOther(url, change.url)) throw noSecret();
    await noteChange(sql, caller, "webhook.change", name);
    return updateWebhook(sql, id, {
      ...change,
      ...(secret !== undefined && { secret: seal(secretKey, secret, id) }),
    });
  });
  await wakeSenders(database);
  return changed;
}

/** Whether a URL is set that differs from the one before. */
export function isOther(before: string, after: string | undefined): after is string {
  return after !== undefined && new URL(after).href !== new URL(before).href;
}

/** Every request carries the secret, so a member could learn it by changing the URL alone. */
function noSecret(): Problem {
  return new Problem(
    "bad-request",
    "A new URL requires a secret, because every request carries it. Include the secret for the new receiver.",
    { errors: [{ field: "secret", message: "is required together with a new webhook_url" }] },
  );
}
