import type { World } from "../../base/world.js";

/** Milliseconds. Whatever watches over a server seldom waits for longer. */
const patience = 3_000;

/** Something did not come in time. */
export class LateError extends Error {
  override readonly name = "LateError";
}

/**
 * Waits a few seconds for work that may take for ever, such as a question to a database whose network stalls. The work goes
 * on nevertheless.
 * @throws LateError, and whatever the work throws
 */
export function withinPatience<Result>(
  world: Pick<World, "timeout">,
  work: () => Promise<Result>,
): Promise<Result> {
  const late = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new LateError(`no answer within ${patience / 1000} s`));
    world.timeout(patience).addEventListener("abort", fail, { once: true });
  });
  return Promise.race([work(), late]);
}
