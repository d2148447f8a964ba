import type { World } from "../../base/world.js";

/** Notices when nothing moves any more, and when what moves does not end. */
export interface ProgressWatch {
  /** Aborted when nothing has moved for as long as is allowed, or all of the answer has taken longer than it may. */
  readonly signal: AbortSignal;
  /** Something has moved: the time begins anew. */
  moved(): void;
  /** The answer begins: from now on it has so many milliseconds, however it moves. */
  answering(limit: number): void;
  /** Whether it was the answer as a whole that took too long. */
  readonly isEndless: boolean;
  /** The exchange is over. */
  stop(): void;
}

/** Watches an exchange; `limit` in milliseconds without any progress. */
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
