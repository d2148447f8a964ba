import { backoff } from "./backoff.js";
import { ChainError, type ReorgError } from "./chain.js";

/** How long answers that do not fit together are borne. */
export interface PatienceOptions {
  /** Milliseconds to wait in all before something fits again. */
  readonly limit: number;
  /** Waits so many milliseconds; told why. */
  pause(milliseconds: number, why: string): Promise<void>;
  /** At least 0, less than 1: makes waits uneven. */
  chance(): number;
  /** Once it is aborted, nothing is waited for. */
  readonly signal?: AbortSignal | undefined;
}

/** Waits between questions whose answers did not fit together, longer every time, until patience ends. */
export class Patience {
  readonly #options: PatienceOptions;
  #attempts = 0;
  #waited = 0;
  #waiting: Promise<void> | undefined;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** Something fits again: the next wait is a short one, and counts anew. */
  reset(): void {
    this.#attempts = 0;
    this.#waited = 0;
  }

  /**
   * Waits; those that come while somebody waits wait along, and it counts once.
   * @throws ChainError when patience has ended; the disagreement itself when the run is to end
   */
  async wait(disagreement: ReorgError): Promise<void> {
    if (this.#options.signal?.aborted) throw disagreement;
    this.#waiting ??= this.#pause(disagreement).finally(() => {
      this.#waiting = undefined;
    });
    await this.#waiting;
    if (this.#options.signal?.aborted) throw disagreement;
  }

  async #pause({ message }: ReorgError): Promise<void> {
    const { limit, pause, chance } = this.#options;
    this.#attempts += 1;
    const wait = backoff(this.#attempts, chance());
    if (this.#waited + wait > limit) throw new ChainError(this.#complaint(message));
    this.#waited += wait;
    await pause(wait, message);
  }

  #complaint(message: string): string {
    const tried = `${this.#attempts} attempts in ${Math.round(this.#waited / 1000)} s`;
    return `The node's answers do not fit together, after ${tried}; the last time: ${message}`;
  }
}
