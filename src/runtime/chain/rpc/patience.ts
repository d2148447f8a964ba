import { backoff } from "../../../base/turns/backoff.js";
import { SingleFlight } from "../../../base/turns/single-flight.js";
import { ChainError } from "../chain.js";
import { nodeBackoff } from "./node-backoff.js";

/** Options for retries after inconsistent answers. */
export interface PatienceOptions {
  /** Limit of consecutive waits in total, in milliseconds. */
  readonly limit: number;
  /** Waits for a number of milliseconds, for the given reason. */
  pause(milliseconds: number, why: string): Promise<void>;
  /** The jitter of waits: at least 0 and less than 1. */
  chance(): number;
  /** Aborts the waits. */
  readonly signal?: AbortSignal | undefined;
}

/** The retry settings of a command. Absent ones have defaults. */
export interface PatienceSettings {
  /** Without it, retries are immediate and the waits are only counted. */
  readonly pause?: PatienceOptions["pause"] | undefined;
  /** Milliseconds of consecutive waits in total; ten minutes by default. */
  readonly patience?: number | undefined;
  /** The jitter of waits: at least 0 and less than 1; always 0.5 by default. */
  readonly random?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const defaultPatience = 600_000;

/** Makes a `Patience` from settings. */
export function createPatience({
  pause = async () => undefined,
  patience = defaultPatience,
  random = () => 0.5,
  signal,
}: PatienceSettings): Patience {
  return new Patience({ limit: patience, pause, chance: random, signal });
}

/** Waits with backoff between retries after inconsistent answers, up to a limit. */
export class Patience {
  readonly #options: PatienceOptions;
  #attempts = 0;
  #waited = 0;
  readonly #waits = new SingleFlight<void>();

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** Call it after a consistent answer: backoff and limit start again. */
  reset(): void {
    this.#attempts = 0;
    this.#waited = 0;
  }

  /**
   * Waits before a retry. Concurrent callers share one wait, which counts once.
   * @throws ChainError when the limit is reached; the disagreement itself when the signal is aborted
   */
  async wait(disagreement: Error): Promise<void> {
    if (this.#options.signal?.aborted) throw disagreement;
    await this.#waits.run(() => this.#pause(disagreement));
    if (this.#options.signal?.aborted) throw disagreement;
  }

  async #pause({ message }: Error): Promise<void> {
    const { limit, pause, chance } = this.#options;
    this.#attempts += 1;
    const wait = backoff(this.#attempts, nodeBackoff, chance());
    if (this.#waited + wait > limit) throw new ChainError(this.#complaint(message));
    this.#waited += wait;
    await pause(wait, message);
  }

  #complaint(message: string): string {
    const tried = `${this.#attempts} attempts in ${Math.round(this.#waited / 1000)} s`;
    return `The node's answers stayed inconsistent after ${tried}. Last problem: ${message}`;
  }
}
