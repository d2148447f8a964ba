/** Buckets for each doubling. A bucket is a fifth wider than the one before it. */
const perDoubling = 4;
/** The upper bound of the last bucket is half a minute, after which clients have gone. */
const most = perDoubling * 15;
/** The upper bound of the last bucket for things that may take minutes. */
const mostLong = perDoubling * 19;

/** The bucket of an operation that may take up to nine minutes. Everything longer is in the last one. */
export function longBucketOf(milliseconds: number): number {
  return Math.min(mostLong, bucketOf(milliseconds));
}

/** How long things took, in buckets of bounded number, from a millisecond to half a minute. */
export class Durations {
  readonly #counts: number[];
  #total: number;

  /** @param counts the earlier counts, by bucket */
  constructor(counts: readonly number[] = []) {
    this.#counts = Array.from(
      { length: Math.max(most + 1, counts.length) },
      (_, index) => counts[index] ?? 0,
    );
    this.#total = counts.reduce((sum, count) => sum + count, 0);
  }

  add(milliseconds: number): void {
    const at = Math.min(most, bucketOf(milliseconds));
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#total += 1;
  }

  /**
   * The time within which a share of the requests completed, in milliseconds: the upper bound of its bucket, which is
   * at most a fifth too high. `undefined` if there are none.
   */
  within(share: number): number | undefined {
    if (this.#total === 0) return undefined;
    const wanted = Math.ceil(this.#total * share);
    let seen = 0;
    const bucket = this.#counts.findIndex((count) => {
      seen += count;
      return seen >= wanted;
    });
    return Math.round(2 ** (bucket / perDoubling));
  }
}

function bucketOf(milliseconds: number): number {
  return Math.ceil(Math.log2(Math.max(1, milliseconds)) * perDoubling);
}
