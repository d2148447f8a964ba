/** The waiting tasks, in the order of their turns. */
export interface WaitingLine<Asker> {
  /**
   * Adds a task.
   * @throws the error for `run` to reject with, if too many tasks are waiting
   */
  push(begin: () => void, asker: Asker): void;
  /** Takes the task whose turn it is. */
  shift(): (() => void) | undefined;
}

/** Semaphore: a bounded number of tasks run at once, and the others wait. With a bound of 1 it is a mutex. */
export class Semaphore<Asker = void> {
  readonly #bound: number;
  readonly #line: WaitingLine<Asker>;
  #running = 0;

  /** @param bound how many tasks run at once @param line by default, first come, first served */
  constructor(bound: number, line: WaitingLine<Asker> = firstComeFirstServed()) {
    this.#bound = bound;
    this.#line = line;
  }

  /** Whether no task is running, and so none is waiting. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /**
   * Runs a task once it has a place.
   * @throws errors of the task, and the line's error if it is full
   */
  async run<Result>(work: () => Promise<Result>, asker: Asker): Promise<Result> {
    if (this.#running < this.#bound) this.#running += 1;
    else await new Promise<void>((begin) => this.#line.push(begin, asker));
    try {
      return await work();
    } finally {
      // The next task takes over this place.
      const begin = this.#line.shift();
      if (begin) begin();
      else this.#running -= 1;
    }
  }
}

/**
 * A queue.
 * @param most how many tasks can wait
 * @param refusal makes the error for all others
 */
export function firstComeFirstServed(
  most = Number.POSITIVE_INFINITY,
  refusal = (): Error => new Error("too many are waiting"),
): WaitingLine<unknown> {
  const waiting: (() => void)[] = [];
  return {
    push(begin) {
      if (waiting.length >= most) throw refusal();
      waiting.push(begin);
    },
    shift: () => waiting.shift(),
  };
}
