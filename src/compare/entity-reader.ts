import { type EntityRow, type EntitySource, readPage } from "./entity-page.js";

/** Reads the entities of a type on one side, one after the other; holds at most a page of them. */
export class EntityReader {
  readonly #source: EntitySource;
  #rows: readonly EntityRow[] = [];
  #at = 0;
  #last: string | undefined;
  #hasEnded = false;

  /** @param after the id before the first entity; absent to start at the beginning */
  constructor(source: EntitySource, after: string | undefined) {
    this.#source = source;
    this.#last = after;
  }

  /** Whether `fill` must read the next page before `next` can be used. */
  get isEmpty(): boolean {
    return this.#at >= this.#rows.length && !this.#hasEnded;
  }

  /** The next entity; `undefined` when there are no more. Use it only when the reader is not empty. */
  get next(): EntityRow | undefined {
    return this.#rows[this.#at];
  }

  /** Advances past the next entity. */
  take(): void {
    this.#at += 1;
  }

  /** Reads the next page if needed. A short page is not the end: some endpoints allow fewer entities than requested. */
  async fill(): Promise<void> {
    if (!this.isEmpty) return;
    this.#rows = await readPage(this.#source, this.#last);
    this.#at = 0;
    this.#last = this.#rows.at(-1)?.id ?? this.#last;
    this.#hasEnded = this.#rows.length === 0;
  }
}
