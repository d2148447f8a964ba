import type { World } from "../../base/world.js";

interface Sample {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The time window in milliseconds. */
const span = 10_000;

/** Measures how fast a count has grown recently. */
export class Rate {
  readonly #world: Pick<World, "now">;
  #samples: Sample[] = [];

  constructor(world: Pick<World, "now">) {
    this.#world = world;
  }

  /** @param count smaller than before if it restarted */
  add(count: number, at: number): void {
    const last = this.#samples.at(-1);
    if (last && count < last.count) this.#samples = [];
    this.#samples = [...this.#samples.filter((sample) => sample.at > at - span), { count, at }];
  }

  /** Missing while it is unknown. */
  get perSecond(): number | undefined {
    const now = this.#world.now();
    const recent = this.#samples.filter(({ at }) => at > now - span);
    const [first] = recent;
    const last = recent.at(-1);
    if (!first || !last) return this.#samples.length === 0 ? undefined : 0;
    const seconds = Math.max(now - first.at, 1_000) / 1_000;
    return Math.round(((last.count - first.count) / seconds) * 10) / 10;
  }
}
