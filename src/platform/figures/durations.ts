/** Buckets for each doubling. A bucket is a fifth wider than the one before it. */
const perDoubling = 4;
/** The upper bound of the last bucket is half a minute, after which clients have gone. */
const most = perDoubling * 15;

/** How long things took, in buckets of bounded number, from a millisecond to half a minute. */
export class Durations {
  readonly #counts = new Array<number>(most + 1).fill(0);
  #total = 0;

  add(milliseconds: number): void {
    const bucket = Math.ceil(Math.log2(Math.max(1, milliseconds)) * perDoubling);
    const at = Math.min(most, bucket);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#total += 1;
  }

  /**
   * The time in which a share of them was done, in milliseconds: the upper bound of its bucket, which is at most a fifth
   * too high. Nothing if there are none.
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
