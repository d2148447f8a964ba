/** Bytes of rows that a range should have, and bytes that are fetched at once. */
const rangeBytes = 8 * 1024 * 1024;
const stepBytes = 4 * 1024 * 1024;
/** How many blocks to fetch at first, when nothing is known about them, and the most to fetch at once. */
const first = { span: 100, step: 4 };
const longestStep = 25;
const longestSpan = 1_000;

/**
 * Adapts the number of blocks that are read at once to how much they contain, so that memory is bounded in bytes. One
 * block is always read whole.
 */
export class Pace {
  #span = first.span;
  #step = first.step;
  #isKnown = false;

  /** Whether it is known what blocks contain, so that several ranges may be read at a time. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Blocks of the next range. */
  get span(): number {
    return this.#span;
  }

  /** Blocks of a range that are fetched at once. */
  get step(): number {
    return this.#step;
  }

  /** Whether a range has enough rows, so that the rest of it is read later. @param size of its rows in bytes */
  isEnough(size: number): boolean {
    return size >= rangeBytes;
  }

  /** Learns how much some blocks contained. @param size of their rows in bytes */
  learn(blocks: number, size: number): void {
    this.#isKnown = true;
    const perBlock = Math.max(1, size / blocks);
    this.#span = next(this.#span, rangeBytes / perBlock, longestSpan);
    this.#step = next(this.#step, stepBytes / perBlock, longestStep);
  }
}

/** Grows at most twofold, since the next blocks may contain more; shrinks at once. */
function next(now: number, fitting: number, most: number): number {
  return Math.max(1, Math.min(now * 2, Math.floor(fitting), most));
}
