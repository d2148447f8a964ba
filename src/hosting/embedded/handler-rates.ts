import type { World } from "../../base/world.js";
import type { HandlerRuns } from "../../runtime/indexer/block-results.js";
import type { HandlerRate } from "../engine.js";

/** How often each handler had run at some time, in milliseconds since 1970. */
interface Sample {
  readonly runs: readonly HandlerRuns[];
  readonly at: number;
}

/** The time window in milliseconds. It is long enough for chains with few blocks. */
const span = 60_000;
/** Milliseconds between two samples that are kept, at least. */
const apart = 5_000;

/** Measures how often each handler of a deployment has run recently. */
export class HandlerRates {
  readonly #world: Pick<World, "now">;
  /** Oldest first. The first one can be older than the window, because the counts at its beginning matter. */
  #samples: readonly Sample[] = [];

  constructor(world: Pick<World, "now">) {
    this.#world = world;
  }

  /** @param runs since the last `clear` */
  add(runs: readonly HandlerRuns[], at: number): void {
    const [before, last] = this.#samples.slice(-2);
    const isClose = before !== undefined && last !== undefined && last.at - before.at < apart;
    const kept = isClose ? this.#samples.slice(0, -1) : this.#samples;
    this.#samples = this.#recent([...kept, { runs, at }], at);
  }

  /** Forgets everything, because counting begins again. */
  clear(): void {
    this.#samples = [];
  }

  /** The rates of the handlers that have run. None before there is something to compare with. */
  get all(): readonly HandlerRate[] {
    const now = this.#world.now();
    const [first, ...others] = this.#recent(this.#samples, now);
    const last = others.at(-1) ?? first;
    if (!first || !last || this.#samples.length < 2) return [];
    const before = new Map(first.runs.map(({ source, handler, count }) => [`${source} ${handler}`, count]));
    const seconds = Math.max(now - first.at, 1_000) / 1_000;
    return last.runs.map(({ source, handler, count }) => {
      const runs = count - (before.get(`${source} ${handler}`) ?? 0);
      return { source, handler, perSecond: Math.round((runs / seconds) * 1_000) / 1_000 };
    });
  }

  /** The samples of the window, and the last one before it. */
  #recent(samples: readonly Sample[], now: number): readonly Sample[] {
    const begin = samples.findLastIndex(({ at }) => at <= now - span);
    return samples.slice(Math.max(begin, 0));
  }
}
