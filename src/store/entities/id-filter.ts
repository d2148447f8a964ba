/** Bits per id, and how many of them each id sets. One in a hundred missing ids seems to exist. */
const bitsPerId = 10;
const hashes = 7;
const firstBits = 1 << 20;

/**
 * A Bloom filter that recognises most missing ids in little memory. Ids cannot be removed, so deleted ids still seem to
 * exist.
 */
export class IdFilter {
  /** Each twice as large as the one before. */
  readonly #layers: Layer[] = [new Layer(firstBits)];

  add(id: string): void {
    if (this.mayHave(id)) return;
    const last = this.#layers.at(-1);
    if (last && !last.isFull) last.add(id);
    else {
      const next = new Layer((last?.size ?? firstBits / 2) * 2);
      this.#layers.push(next);
      next.add(id);
    }
  }

  /** False when the id was never added. */
  mayHave(id: string): boolean {
    return this.#layers.some((layer) => layer.mayHave(id));
  }
}

class Layer {
  /** In bits; a power of two. */
  readonly size: number;
  readonly #words: Uint32Array;
  #count = 0;

  constructor(size: number) {
    this.size = size;
    this.#words = new Uint32Array(size / 32);
  }

  get isFull(): boolean {
    return this.#count * bitsPerId >= this.size;
  }

  add(id: string): void {
    this.#count += 1;
    let [at, step] = hashOf(id);
    for (let round = 0; round < hashes; round++) {
      const bit = at & (this.size - 1);
      this.#words[bit >>> 5] = (this.#words[bit >>> 5] ?? 0) | (1 << (bit & 31));
      at = (at + step) >>> 0;
      step = (step + round) >>> 0;
    }
  }

  mayHave(id: string): boolean {
    let [at, step] = hashOf(id);
    for (let round = 0; round < hashes; round++) {
      const bit = at & (this.size - 1);
      if (((this.#words[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
      at = (at + step) >>> 0;
      step = (step + round) >>> 0;
    }
    return true;
  }
}

/** Two hashes of a string, from which any number of hashes is derived. */
function hashOf(text: string): [number, number] {
  let one = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other + code, 0x85ebca6b) ^ (other >>> 13);
  }
  one ^= one >>> 16;
  one = Math.imul(one, 0xc2b2ae35);
  one ^= one >>> 13;
  return [one >>> 0, (other | 1) >>> 0];
}
