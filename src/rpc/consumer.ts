import type { Asker } from "./asker.js";

/** The number of remembered questions. The least recently asked are forgotten first. */
const mostRemembered = 10_000;

/**
 * A client of the nodes that verifies their answers. It asks again if it could not use an answer, so a
 * repeated question goes to a node and its cached answer is dropped. An answer stays cached only until a
 * consumer rejects it, and no consumer gets the same answer twice.
 */
export class Consumer {
  /** The caller in whose name it takes turns. */
  readonly asker: Asker;
  /** A hand-written LRU, because `LRUCache` would reserve the memory for all entries at once, for each consumer. */
  readonly #asked = new Set<string>();

  constructor(asker: Asker) {
    this.asker = asker;
  }

  /** Records a question. @returns whether it was asked and answered before */
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
