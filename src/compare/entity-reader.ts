import { type EntityRow, type EntitySource, readPage } from "./entity-page.js";

/** The entities of a type on one side, one after the other; at most a page of them is held. */
export class EntityReader {
  readonly #source: EntitySource;
  #rows: readonly EntityRow[] = [];
  #at = 0;
  #last: string | undefined;
  #hasEnded = false;

  /** @param after the id before the first; from the beginning without it */
  constructor(source: EntitySource, after: string | undefined) {
    this.#source = source;
    this.#last = after;
  }

  /** Whether the next page has to be read before anything can be said of the next entity. */
  get isEmpty(): boolean {
    return this.#at >= this.#rows.length && !this.#hasEnded;
  }

  /** The next entity; `undefined` when there are no more. Only asked when the reader is not empty. */
  get next(): EntityRow | undefined {
    return this.#rows[this.#at];
  }

  /** Goes on to the entity after the next one. */
  take(): void {
    this.#at += 1;
  }

  /** Reads the next page when it is needed. A page that is not full is no end: some allow less than was asked for. */
  async fill(): Promise<void> {
    if (!this.isEmpty) return;
    this.#rows = await readPage(this.#source, this.#last);
    this.#at = 0;
    this.#last = this.#rows.at(-1)?.id ?? this.#last;
    this.#hasEnded = this.#rows.length === 0;
  }
}
