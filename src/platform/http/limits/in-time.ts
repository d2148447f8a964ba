import type { World } from "../../../base/world.js";

/** Milliseconds. Monitoring seldom waits longer. */
const patience = 3_000;

/** An answer did not arrive in time. */
export class LateError extends Error {
  override readonly name = "LateError";
}

/**
 * Waits a few seconds for work that may never finish, such as a query to a database whose network stalls. The work
 * itself continues.
 * @throws LateError, and errors of the work
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
