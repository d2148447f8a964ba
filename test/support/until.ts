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

/**
 * Waits for assertions to pass: repeats them until they no longer throw.
 * @returns their result
 * @throws what they threw last, after some minutes
 */
export async function untilHolds<Result>(check: () => Promise<Result> | Result): Promise<Result> {
  let failure: unknown;
  const passed = async (): Promise<{ readonly result: Result } | undefined> => {
    try {
      return { result: await check() };
    } catch (error) {
      failure = error;
      return undefined;
    }
  };
  return until(passed).then(
    ({ result }) => result,
    () => Promise.reject(failure),
  );
}
