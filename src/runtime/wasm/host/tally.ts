import { GasError, LimitError } from "../failures.js";
import { type HandlerLimits, limitText } from "../limits.js";

/** The limited actions of a handler. */
export type Tallied = "logLines" | "logText" | "writes" | "calls" | "dataSources";

/** Counts the limited actions of one run of a handler. */
export class Tally {
  readonly #limits: HandlerLimits;
  readonly #counts = { logLines: 0, logText: 0, writes: 0, calls: 0, dataSources: 0 };

  constructor(limits: HandlerLimits) {
    this.#limits = limits;
  }

  /** @throws LimitError or GasError beyond the limit */
  add(kind: Tallied, amount = 1): void {
    this.#counts[kind] += amount;
    const limit = this.#limits[kind];
    if (this.#counts[kind] <= limit) return;
    const text = limitText(kind, limit);
    throw kind === "logLines" || kind === "logText" ? new LimitError(text) : new GasError(text);
  }
}
