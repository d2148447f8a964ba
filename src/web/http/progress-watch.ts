import type { World } from "../../base/world.js";

/** Notices when nothing moves any more. */
export interface ProgressWatch {
  /** Aborted when nothing has moved for as long as is allowed. */
  readonly signal: AbortSignal;
  /** Something has moved: the time begins anew. */
  moved(): void;
  /** The exchange is over. */
  stop(): void;
}

/** Watches an exchange; `limit` in milliseconds. */
export function watchProgress(world: World, limit: number): ProgressWatch {
  const controller = new AbortController();
  const expire = (): void => controller.abort();
  let clock: AbortSignal | undefined;
  const stop = (): void => clock?.removeEventListener("abort", expire);
  const moved = (): void => {
    stop();
    clock = world.timeout(limit);
    clock.addEventListener("abort", expire, { once: true });
  };
  moved();
  return { signal: controller.signal, moved, stop };
}
