import type { Platform } from "../../platform.js";
import { type LastAttempt, lastAttempts } from "../../webhooks/receivers.js";
import { isDown, type Webhook } from "../../webhooks/webhooks.js";
import { createKept } from "../kept-for.js";

/** The last attempts of those webhooks whose receivers are down, by webhook. @throws DatabaseError */
export type ReadLastAttempts = (webhooks: readonly Webhook[]) => Promise<ReadonlyMap<string, LastAttempt>>;

/**
 * Caches last attempts for self-renewing pages. To find them, the database scans all events of a webhook, so they are
 * read only now and then for all pages together, and after an attempt has changed a webhook.
 */
export function createLastAttempts({
  database,
  world,
}: {
  readonly database: Pick<Platform["database"], "query">;
  readonly world: Pick<Platform["world"], "now">;
}): ReadLastAttempts {
  const kept = createKept<ReadonlyMap<string, LastAttempt>>(world);
  return async (webhooks) => {
    const down = webhooks.filter(isDown);
    const key = down
      .map(({ id, failures, restsUntil }) => `${id} ${failures} ${restsUntil?.getTime()}`)
      .join("\n");
    const ids = down.map(({ id }) => id);
    return kept(key, () => lastAttempts(database, ids));
  };
}
