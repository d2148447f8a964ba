/**
 * Maps parts of a decoded string to its source. They differ by escapes, folded lines and removed indentation. Add
 * pieces in order; source text between two pieces maps to nothing.
 */
export class StringMap {
  /** Offset of each piece in the decoded string. */
  readonly #decoded: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #emptyAt: number;
  #length = 0;

  /** @param emptyAt offset to report for an empty string */
  constructor(emptyAt: number) {
    this.#emptyAt = emptyAt;
  }

  /** Length of the decoded string so far, in UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  /** Adds `length` units that the source contains unchanged. */
  copy(from: number, length: number): void {
    const last = this.#to.length - 1;
    if (last >= 0 && this.#to[last] === from && this.#isCopy(last)) this.#to[last] = from + length;
    else this.#add(from, from + length, length);
    this.#length += length;
  }

  /** Adds `length` units that the source writes as the indivisible span `from` to `to`. */
  replace(from: number, to: number, length: number): void {
    this.#add(from, to, length);
    this.#length += length;
  }

  /** The source span of a part of the decoded string. */
  span(start: number, end: number): [number, number] {
    if (this.#decoded.length === 0) return [this.#emptyAt, this.#emptyAt];
    const from = Math.max(0, Math.min(start, this.#length));
    const to = Math.max(from, Math.min(end, this.#length));
    const begin = this.#startOf(from);
    return [begin, to === from ? begin : this.#endOf(to)];
  }

  #add(from: number, to: number, length: number): void {
    if (length === 0) return;
    this.#decoded.push(this.#length);
    this.#from.push(from);
    this.#to.push(to);
  }

  #startOf(offset: number): number {
    if (offset === this.#length) return this.#to[this.#to.length - 1] as number;
    const piece = this.#pieceOf(offset);
    const into = this.#isCopy(piece) ? offset - (this.#decoded[piece] as number) : 0;
    return (this.#from[piece] as number) + into;
  }

  #endOf(offset: number): number {
    const piece = this.#pieceOf(offset - 1);
    if (!this.#isCopy(piece)) return this.#to[piece] as number;
    return (this.#from[piece] as number) + offset - (this.#decoded[piece] as number);
  }

  #isCopy(piece: number): boolean {
    const end = this.#decoded[piece + 1] ?? this.#length;
    const length = end - (this.#decoded[piece] as number);
    return (this.#to[piece] as number) - (this.#from[piece] as number) === length;
  }

  #pieceOf(offset: number): number {
    let low = 0;
    let high = this.#decoded.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#decoded[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
