import { setMaxListeners } from "node:events";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { World } from "../base/world.js";

/**
 * The real network, clock, timers and randomness.
 * @param signal aborts all requests and waits
 */
export function createNodeWorld(signal?: AbortSignal): World {
  // Every request and wait listens to it, so no limit makes sense.
  if (signal) setMaxListeners(0, signal);
  return {
    fetch: (url, request) => fetch(url, { ...request, signal: either(signal, request.signal) }),
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds, undefined, signal && { signal }),
    timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
    random: () => Math.random(),
  };
}

function either(one: AbortSignal | undefined, other: AbortSignal | null | undefined): AbortSignal | null {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other ?? null);
}

/** Lets the event loop process pending responses and timers. */
export async function breathe(): Promise<void> {
  await setImmediate();
}

/** Waits for a time, or until the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
