import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until there is something: asks again and again until the answer is one.
 * @param ask may throw, which ends the waiting
 * @throws Error after some minutes
 */
export async function until<Result>(
  ask: () => Promise<Result | undefined | false> | Result | undefined | false,
): Promise<Result> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    const result = await ask();
    if (result !== undefined && result !== false) return result;
    // Soon at first: most of it comes within moments.
    await sleep(Math.min(10 * (attempt + 1), 100));
  }
  throw new Error(`what was waited for did not come: ${ask}`);
}
