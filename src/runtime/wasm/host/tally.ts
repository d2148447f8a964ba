import { LimitError } from "../failures.js";
import { type HandlerLimits, limitText } from "../limits.js";

/** What a handler has the host do that is limited. */
export type Tallied = "logLines" | "logText" | "writes" | "calls" | "dataSources";

/** Counts what one run of a handler does. */
export class Tally {
  readonly #limits: HandlerLimits;
  readonly #counts = { logLines: 0, logText: 0, writes: 0, calls: 0, dataSources: 0 };

  constructor(limits: HandlerLimits) {
    this.#limits = limits;
  }

  /** @throws LimitError when that is more than a handler may do */
  add(kind: Tallied, amount = 1): void {
    this.#counts[kind] += amount;
    const limit = this.#limits[kind];
    if (this.#counts[kind] > limit) throw new LimitError(limitText(kind, limit));
  }
}
