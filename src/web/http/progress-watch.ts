import type { World } from "../../base/world.js";

/** A watchdog of an exchange: time without progress, and time of the whole response. */
export interface ProgressWatch {
  /** Aborted when there is no progress within the limit, or when the response as a whole exceeds its limit. */
  readonly signal: AbortSignal;
  /** Records progress, which restarts the timer. */
  moved(): void;
  /** Marks the start of the response, which must end within this many milliseconds, whatever its progress. */
  answering(limit: number): void;
  /** Whether the limit of the whole response was exceeded. */
  readonly isEndless: boolean;
  /** Stops the timers when the exchange is over. */
  stop(): void;
}

/**
 * Watches an exchange.
 * @param limit milliseconds without any progress
 */
export function watchProgress(world: World, limit: number): ProgressWatch {
  const controller = new AbortController();
  const expire = (): void => controller.abort();
  let clock: AbortSignal | undefined;
  let isEndless = false;
  let end: AbortSignal | undefined;
  const expireAnswer = (): void => {
    isEndless = true;
    expire();
  };
  const pause = (): void => clock?.removeEventListener("abort", expire);
  const moved = (): void => {
    pause();
    clock = world.timeout(limit);
    clock.addEventListener("abort", expire, { once: true });
  };
  moved();
  return {
    signal: controller.signal,
    moved,
    answering(most) {
      end = world.timeout(most);
      end.addEventListener("abort", expireAnswer, { once: true });
    },
    get isEndless() {
      return isEndless;
    },
    stop() {
      pause();
      end?.removeEventListener("abort", expireAnswer);
    },
  };
}
