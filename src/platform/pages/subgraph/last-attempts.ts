import { LRUCache } from "lru-cache";
import type { Platform } from "../../platform.js";
import { type LastAttempt, lastAttempts } from "../../webhooks/receivers.js";
import type { Webhook } from "../../webhooks/webhooks.js";
import { isDown } from "./receiver-notice.js";

/** Milliseconds for which an attempt is shown before it is read again. */
const freshFor = 10_000;
const mostKept = 200;

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
  const kept = new LRUCache<
    string,
    { readonly at: number; readonly attempts: Promise<ReadonlyMap<string, LastAttempt>> }
  >({ max: mostKept });
  return async (webhooks) => {
    const down = webhooks.filter(isDown);
    const key = down
      .map(({ id, failures, restsUntil }) => `${id} ${failures} ${restsUntil?.getTime()}`)
      .join("\n");
    const now = world.now();
    const known = kept.get(key);
    if (known && now - known.at < freshFor) return known.attempts;
    const attempts = lastAttempts(
      database,
      down.map(({ id }) => id),
    );
    kept.set(key, { at: now, attempts });
    attempts.catch(() => kept.delete(key));
    return attempts;
  };
}
