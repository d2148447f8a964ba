const confidence = 16;

/**
 * Adapts the batch size to the node: halves it after a failure and grows it again after successes, but never to a
 * size that the node refused.
 */
export class BatchSize {
  #size: number;
  /** The largest size that may be tried: below every size that the node refused. */
  #limit: number;
  #successes = 0;

  constructor(wanted: number) {
    this.#size = wanted;
    this.#limit = wanted;
  }

  get now(): number {
    return this.#size;
  }

  /** A batch failed because it was too large. Returns false for a batch of one, which cannot be split. */
  shrink(failed: number): boolean {
    if (failed <= 1) return false;
    this.#successes = 0;
    this.#size = Math.min(this.#size, Math.max(1, Math.floor(failed / 2)));
    return true;
  }

  /** The node refused a batch permanently because of its size. Returns false for a batch of one. */
  refuse(failed: number): boolean {
    const smaller = this.shrink(failed);
    if (smaller) this.#limit = this.#size;
    return smaller;
  }

  /** A batch succeeded; after several successes the size grows. */
  grow(): void {
    if (this.#size === this.#limit || ++this.#successes < confidence) return;
    this.#successes = 0;
    this.#size++;
  }
}

const refusals: ReadonlySet<number> = new Set([400, 405, 413, 415, 422]);

/** Whether servers use this HTTP status to refuse a batch whose requests they would answer one by one. */
export function mayRefuseBatch(status: number): boolean {
  return refusals.has(status);
}
