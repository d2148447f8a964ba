const confidence = 16;

/**
 * The batch size, adapted to the node: halved on failures, grown again after successes, never above a size
 * that the node refused.
 */
export class BatchSize {
  #size: number;
  /** A size that the node refused is never tried again. */
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

  /** A batch was refused for good because of its size. Returns false for a batch of one. */
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

/** Whether servers use an HTTP status to refuse a batch whose requests they would answer one by one. */
export function mayRefuseBatch(status: number): boolean {
  return refusals.has(status);
}
