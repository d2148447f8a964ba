import { Problem } from "../problem.js";

/** How much of one kind of work runs and waits. */
interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/** How much of one kind may run and wait. */
export interface GateOptions {
  readonly running: number;
  readonly waiting: number;
  /** What is said to what comes beyond. */
  readonly refusal?: string;
}

const tooMany = "Too many queries of this subgraph wait already; try again.";

/** Lets only so much work of one kind run at once, so that no kind takes everything for itself. */
export class Gate {
  readonly #running: number;
  readonly #waiting: number;
  readonly #refusal: string;
  readonly #lanes = new Map<string, Lane>();

  constructor({ running, waiting, refusal = tooMany }: GateOptions) {
    this.#running = running;
    this.#waiting = waiting;
    this.#refusal = refusal;
  }

  /**
   * Does work when it is its turn.
   * @throws Problem `unavailable` when too much waits already, and what the work throws
   */
  async run<Result>(kind: string, work: () => Promise<Result>): Promise<Result> {
    const lane = this.#lanes.get(kind) ?? { running: 0, waiting: [] };
    this.#lanes.set(kind, lane);
    if (lane.running < this.#running) lane.running += 1;
    else await this.#turn(lane);
    try {
      return await work();
    } finally {
      // Whoever comes next takes the place as it is.
      const next = lane.waiting.shift();
      if (next) next();
      else lane.running -= 1;
      if (lane.running === 0) this.#lanes.delete(kind);
    }
  }

  #turn({ waiting }: Lane): Promise<void> {
    if (waiting.length >= this.#waiting) {
      throw new Problem("unavailable", this.#refusal, { retryAfter: 1 });
    }
    return new Promise((resolve) => waiting.push(resolve));
  }
}
