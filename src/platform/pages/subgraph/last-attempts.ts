import type { Platform } from "../../platform.js";
import { type LastAttempt, lastAttempts } from "../../webhooks/receivers.js";
import { isDown, type Webhook } from "../../webhooks/webhooks.js";
import { createKept } from "../kept-for.js";

/** The last attempts of those webhooks whose receivers are down, by webhook. @throws DatabaseError */
export type ReadLastAttempts = (webhooks: readonly Webhook[]) => Promise<ReadonlyMap<string, LastAttempt>>;

/**
 * Last attempts for pages that renew themselves. The database goes through all kept events of a webhook to find them, so
 * they are read once in a while, however many pages show them, and when an attempt has changed a webhook.
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
