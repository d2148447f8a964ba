import type { Asker } from "./asker.js";

/** Beyond this number, the least recently asked questions are forgotten. */
const mostRemembered = 10_000;

/**
 * A client of the nodes that verifies their answers. A consumer asks again if it cannot use an answer, so a repeated
 * question drops the cached answer and goes to a node. No consumer gets the same cached answer twice.
 */
export class Consumer {
  readonly asker: Asker;
  /** A hand-written LRU: `LRUCache` would reserve memory for all entries at once, for each consumer. */
  readonly #asked = new Set<string>();

  constructor(asker: Asker) {
    this.asker = asker;
  }

  /**
   * Records a question.
   * @returns whether it has been asked and answered before
   */
  asks(key: string): boolean {
    const wasAsked = this.#asked.delete(key);
    this.#asked.add(key);
    const [oldest] = this.#asked;
    if (this.#asked.size > mostRemembered && oldest !== undefined) this.#asked.delete(oldest);
    return wasAsked;
  }

  /** Records that a question got no answer. */
  gotNone(key: string): void {
    this.#asked.delete(key);
  }
}
