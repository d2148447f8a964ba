/** Questions that are remembered; those asked longest ago are forgotten first. */
const mostRemembered = 10_000;

/**
 * Somebody who asks nodes and judges what they answer. It asks again what it could not use, so a question asked for the
 * second time goes to a node, and what was kept as its answer is dropped: an answer stays only as long as nobody
 * rejects it, and two answers to one consumer are never the same one.
 */
export class Consumer {
  /** Whose turn it is when it asks. */
  readonly name: string;
  /** LRU by hand: `LRUCache` would reserve the memory for all of them at once, for each consumer. */
  readonly #asked = new Set<string>();

  constructor(name: string) {
    this.name = name;
  }

  /** Notes a question. @returns whether it was asked, and answered, before */
  asks(key: string): boolean {
    const wasAsked = this.#asked.delete(key);
    this.#asked.add(key);
    const [oldest] = this.#asked;
    if (this.#asked.size > mostRemembered && oldest !== undefined) this.#asked.delete(oldest);
    return wasAsked;
  }

  /** Notes that a question got no answer. */
  gotNone(key: string): void {
    this.#asked.delete(key);
  }
}
