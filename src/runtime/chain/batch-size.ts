const confidence = 16;

/** How many requests may go together: as many as wanted, until the node does not take or not manage that many. */
export class BatchSize {
  #size: number;
  /** What the node refuses outright is not tried again. */
  #limit: number;
  #successes = 0;

  constructor(wanted: number) {
    this.#size = wanted;
    this.#limit = wanted;
  }

  get now(): number {
    return this.#size;
  }

  /** A batch was too much this time. False when it was none, so that a smaller one is no remedy. */
  shrink(failed: number): boolean {
    if (failed <= 1) return false;
    this.#successes = 0;
    this.#size = Math.min(this.#size, Math.max(1, Math.floor(failed / 2)));
    return true;
  }

  /** A batch was refused, and will be another time. False when it was none. */
  refuse(failed: number): boolean {
    const smaller = this.shrink(failed);
    if (smaller) this.#limit = this.#size;
    return smaller;
  }

  /** A batch was answered; after some of them a larger one is worth a try. */
  grow(): void {
    if (this.#size === this.#limit || ++this.#successes < confidence) return;
    this.#successes = 0;
    this.#size++;
  }
}

const refusals: ReadonlySet<number> = new Set([400, 405, 413, 415, 422]);

/** Whether servers use a HTTP status to turn away a batch that they would have taken one by one. */
export function mayRefuseBatch(status: number): boolean {
  return refusals.has(status);
}
