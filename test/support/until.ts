import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits for a result: asks repeatedly until the answer is neither `undefined` nor `false`.
 * @param ask may throw, which ends the wait
 * @throws Error after some minutes
 */
export async function until<Result>(
  ask: () => Promise<Result | undefined | false> | Result | undefined | false,
): Promise<Result> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    const result = await ask();
    if (result !== undefined && result !== false) return result;
    // The first retries are quick: most results arrive within moments.
    await sleep(Math.min(10 * (attempt + 1), 100));
  }
  throw new Error(`no result within the time limit: ${ask}`);
}
