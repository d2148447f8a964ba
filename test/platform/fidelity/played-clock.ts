import type { World } from "../../../src/base/world.js";

/** A clock that stands still until a test moves it. */
export class PlayedClock {
  #now = 1_700_001_000_000;
  #waiting: { readonly until: number; readonly go: () => void }[] = [];

  readonly now = (): number => this.#now;

  /** A signal that is aborted once the clock has been moved by that much. */
  readonly timeout: World["timeout"] = (milliseconds) => {
    const late = new AbortController();
    this.after(milliseconds, () => late.abort());
    return late.signal;
  };

  readonly sleep = (milliseconds: number): Promise<void> => new Promise((go) => this.after(milliseconds, go));

  /** Calls a function once the clock has been moved by that much. */
  after(milliseconds: number, go: () => void): void {
    this.#waiting.push({ until: this.#now + milliseconds, go });
  }

  /** Moves the clock forward. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    const all = this.#waiting;
    this.#waiting = all.filter(({ until }) => until > this.#now);
    for (const { until, go } of all) if (until <= this.#now) go();
  }
}
