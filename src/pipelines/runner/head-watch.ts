/** Notified by a source that follows a chain or a feed. */
export interface SourceWatch {
  /**
   * The source has returned all current data, and waits for more.
   * @param head the number of the chain's head as the source sees it; `undefined` for a feed
   */
  onHead(head: number | undefined): void;
}

/** What the sources of a sink still have to deliver. */
export type HeadReading =
  /** There is something to write. */
  | { readonly kind: "busy" }
  /** Everything is written. @param since milliseconds since the Unix epoch */
  | { readonly kind: "idle"; readonly since: number }
  /** Everything is written, and the head of a source's chain has not moved for a minute. */
  | { readonly kind: "still"; readonly since: number; readonly source: string; readonly head: number };

/** Milliseconds without new blocks after which a chain is reported. */
const longestPause = 60_000;

/** Where a source is. */
interface Watched {
  /** Batches that were read and are not written. */
  open: number;
  /** Since when it has given everything; `undefined` while it has more. */
  idleSince: number | undefined;
  /** The head that it has seen last, and when it has seen it first. */
  head: { readonly number: number; readonly since: number } | undefined;
}

/** Watches whether the sources of a sink have reached the heads of their chains, and whether these move. */
export class HeadWatch {
  readonly #now: () => number;
  readonly #sources: ReadonlyMap<string, Watched>;

  /** @param now milliseconds since the Unix epoch */
  constructor(sources: readonly string[], now: () => number) {
    this.#now = now;
    this.#sources = new Map(
      sources.map((name) => [name, { open: 0, idleSince: undefined, head: undefined }]),
    );
  }

  /** A batch of a source was read. */
  read(source: string): void {
    const watched = this.#sources.get(source);
    if (!watched) return;
    watched.open += 1;
    watched.idleSince = undefined;
  }

  /** A batch of a source was written. */
  written(source: string): void {
    const watched = this.#sources.get(source);
    if (watched && watched.open > 0) watched.open -= 1;
  }

  /** A source has returned all current data. */
  atHead(source: string, head: number | undefined): void {
    const watched = this.#sources.get(source);
    if (!watched) return;
    watched.idleSince ??= this.#now();
    if (head !== undefined && watched.head?.number !== head)
      watched.head = { number: head, since: this.#now() };
  }

  get reading(): HeadReading {
    let since = 0;
    for (const { open, idleSince } of this.#sources.values()) {
      if (open > 0 || idleSince === undefined) return { kind: "busy" };
      since = Math.max(since, idleSince);
    }
    for (const [source, { head }] of this.#sources)
      if (head && this.#now() - head.since >= longestPause)
        return { kind: "still", since: head.since, source, head: head.number };
    return { kind: "idle", since };
  }
}
