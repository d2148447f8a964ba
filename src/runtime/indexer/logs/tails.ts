/** A range of blocks, both ends inclusive. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The ends of answers. An answer that was cut short lacks logs after its last one, so it proves little about the blocks
 * from there to the end of its range.
 */
export class Tails {
  readonly #byQuery = new Map<number, BlockRange[]>();

  /** @param query identifies the query; each query is cut separately */
  add(query: number, from: number, to: number): void {
    const own = this.#byQuery.get(query);
    if (own) own.push({ from, to });
    else this.#byQuery.set(query, [{ from, to }]);
  }

  /** Whether a block is in any of them. */
  has(block: number): boolean {
    return [...this.#byQuery.values()].flat().some(({ from, to }) => block >= from && block <= to);
  }

  /** The ranges in which the answers of both witnesses to the same query end. */
  shared(other: Tails): readonly BlockRange[] {
    return [...this.#byQuery].flatMap(([query, own]) => overlaps(own, other.#byQuery.get(query) ?? []));
  }
}

/** The overlaps of two lists of ranges. Ranges within one list do not overlap. */
function overlaps(one: readonly BlockRange[], other: readonly BlockRange[]): readonly BlockRange[] {
  const [left, right] = [sorted(one), sorted(other)];
  const found: BlockRange[] = [];
  for (let at = 0, beside = 0; ; ) {
    const [first, second] = [left[at], right[beside]];
    if (!first || !second) return found;
    const shared = { from: Math.max(first.from, second.from), to: Math.min(first.to, second.to) };
    if (shared.from <= shared.to) found.push(shared);
    if (first.to < second.to) at++;
    else beside++;
  }
}

function sorted(ranges: readonly BlockRange[]): readonly BlockRange[] {
  return [...ranges].sort((one, other) => one.from - other.from);
}
