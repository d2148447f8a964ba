/** What waits for a place, in an order of its own. */
export interface WaitingLine<Asker> {
  /** Lets it wait. @throws what `run` is to throw, when too much waits already */
  push(begin: () => void, asker: Asker): void;
  /** Takes the one whose turn it is. */
  shift(): (() => void) | undefined;
}

/** Semaphore: a bounded number of pieces of work run at once, the others wait. With a bound of 1 it is a mutex. */
export class Semaphore<Asker = void> {
  readonly #bound: number;
  readonly #line: WaitingLine<Asker>;
  #running = 0;

  /** @param bound how many run at once @param line when it is left out, first come, first served */
  constructor(bound: number, line: WaitingLine<Asker> = firstComeFirstServed()) {
    this.#bound = bound;
    this.#line = line;
  }

  /** Whether nothing runs, and so nothing waits. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Does work when there is a place for it. @throws what the work throws, and what the line throws when it is full */
  async run<Result>(work: () => Promise<Result>, asker: Asker): Promise<Result> {
    if (this.#running < this.#bound) this.#running += 1;
    else await new Promise<void>((begin) => this.#line.push(begin, asker));
    try {
      return await work();
    } finally {
      // The next one takes over the place as it is.
      const begin = this.#line.shift();
      if (begin) begin();
      else this.#running -= 1;
    }
  }
}

/** A queue. @param most how many may wait @param refusal makes the error for those beyond */
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
