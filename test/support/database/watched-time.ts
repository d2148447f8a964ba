import type { World } from "../../../src/base/world.js";
import { until } from "../until.js";
import { world } from "./databases.js";

/** A world whose time passes only when a test says so, for a database that looks at its server from time to time. */
export interface WatchedTime extends World {
  /** Lets time pass, then lets the database look, and waits until it has looked. */
  pass(milliseconds: number): Promise<void>;
  /** Lets time pass while the database has no reason to look. */
  skip(milliseconds: number): void;
  /** Milliseconds that each look takes, 0 at first. */
  lookTakes: number;
}

export function watchedTime(): WatchedTime {
  let now = 1_000_000;
  let ticks: (() => void)[] = [];
  let asked = 0;
  const time: WatchedTime = {
    ...world,
    lookTakes: 0,
    now: () => {
      // A look reads the clock for the third time when it has its answer.
      if (time.lookTakes > 0 && ++asked % 3 === 0) now += time.lookTakes;
      return now;
    },
    timeout: () => {
      const over = new AbortController();
      ticks.push(() => over.abort());
      return over.signal;
    },
    skip(milliseconds) {
      now += milliseconds;
    },
    async pass(milliseconds) {
      await until(() => ticks.length > 0);
      now += milliseconds;
      const due = ticks;
      ticks = [];
      for (const tick of due) tick();
      await until(() => ticks.length > 0);
    },
  };
  return time;
}
