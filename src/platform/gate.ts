import { firstComeFirstServed, Semaphore } from "../base/turns/semaphore.js";
import { Problem } from "./problem.js";

/** How much work of one kind may run and wait. */
export interface GateOptions {
  readonly running: number;
  readonly waiting: number;
  /** The message for requests beyond these limits. */
  readonly refusal?: string;
}

const tooMany = "Too many queries of this subgraph are already waiting. Try again.";

/** A semaphore for each kind of work, so that no kind takes all capacity. */
export class Gate {
  readonly #make: () => Semaphore<void>;
  readonly #kinds = new Map<string, Semaphore<void>>();

  constructor({ running, waiting, refusal = tooMany }: GateOptions) {
    const refuse = (): Problem => new Problem("unavailable", refusal, { retryAfter: 1 });
    this.#make = () => new Semaphore(running, firstComeFirstServed(waiting, refuse));
  }

  /**
   * Runs work in its turn.
   * @throws Problem `unavailable` when too much work is already waiting, and errors of the work
   */
  async run<Result>(kind: string, work: () => Promise<Result>): Promise<Result> {
    const semaphore = this.#kinds.get(kind) ?? this.#make();
    this.#kinds.set(kind, semaphore);
    try {
      return await semaphore.run(work);
    } finally {
      if (semaphore.isIdle) this.#kinds.delete(kind);
    }
  }
}
