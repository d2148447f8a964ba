import { LRUCache } from "lru-cache";
import type { World } from "../../../base/world.js";
import type { HostedStatus } from "../../../hosting/engine.js";

/** An observation of a deployment that catches up. */
interface Seen {
  readonly at: number;
  readonly block: number;
}

/** Milliseconds between two of the moments that are kept, and the number of moments: the speed of ten minutes. */
const apart = 10_000;
const mostSeen = 60;
/** The shortest time over which a speed is measured. */
const shortest = 2_000;
const mostDeployments = 1_000;

/**
 * Estimates when deployments will have caught up with their chains, from their speed while a user looks at them.
 * @returns milliseconds; `undefined` when a deployment does not catch up, or its speed is still unknown
 */
export function createTimeLeft(
  world: Pick<World, "now">,
): (deployment: string, status: HostedStatus | undefined) => number | undefined {
  const all = new LRUCache<string, Seen[]>({ max: mostDeployments });
  return (deployment, status) => {
    const { headBlock, chainHeadBlock, isSynced = true, health } = status ?? {};
    if (headBlock === undefined || chainHeadBlock === undefined || isSynced || health === "failed") {
      all.delete(deployment);
      return undefined;
    }
    const at = world.now();
    const known = (all.get(deployment) ?? []).filter(({ block }) => block <= headBlock);
    const seen = known.filter((one) => at - one.at <= apart * mostSeen);
    const last = seen.at(-1);
    if (!last || at - last.at >= apart) seen.push({ at, block: headBlock });
    all.set(deployment, seen);
    const [first] = seen;
    if (!first || at - first.at < shortest || headBlock <= first.block) return undefined;
    return ((chainHeadBlock - headBlock) * (at - first.at)) / (headBlock - first.block);
  };
}

/** A duration in words that round it up: `about 3 hours`. @param milliseconds the duration */
export function aboutText(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  if (minutes <= 1) return "about a minute";
  if (minutes < 90) return `about ${minutes} minutes`;
  const hours = Math.ceil(minutes / 60);
  if (hours < 36) return `about ${hours} hours`;
  return `about ${Math.ceil(hours / 24)} days`;
}
