/** Target size of a range's rows, and how many bytes to fetch at once. */
const rangeBytes = 8 * 1024 * 1024;
const stepBytes = 4 * 1024 * 1024;
/** How many blocks to fetch at first, when their size is unknown, and the maximum to fetch at once. */
const first = { span: 100, step: 4 };
const longestStep = 25;
const longestSpan = 1_000;

/**
 * Adapts the number of blocks read at once to their size, so that memory is bounded. Single blocks are always read
 * whole.
 */
export class Pace {
  #span = first.span;
  #step = first.step;
  #isKnown = false;

  /** Whether the size of blocks is known, so that several ranges can be read at once. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Number of blocks in the next range. */
  get span(): number {
    return this.#span;
  }

  /** Number of a range's blocks to fetch at once. */
  get step(): number {
    return this.#step;
  }

  /**
   * Whether a range has enough rows, so that the rest is read later.
   * @param size of its rows in bytes
   */
  isEnough(size: number): boolean {
    return size >= rangeBytes;
  }

  /**
   * Learns the size of some blocks.
   * @param size of their rows, in bytes
   */
  learn(blocks: number, size: number): void {
    this.#isKnown = true;
    const perBlock = Math.max(1, size / blocks);
    this.#span = next(this.#span, rangeBytes / perBlock, longestSpan);
    this.#step = next(this.#step, stepBytes / perBlock, longestStep);
  }
}

/** Grows at most twofold, because the next blocks may be larger; shrinks immediately. */
function next(now: number, fitting: number, most: number): number {
  return Math.max(1, Math.min(now * 2, Math.floor(fitting), most));
}
