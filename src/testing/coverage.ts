/** The handlers of one data source or template. */
export interface HandlersOfSource {
  readonly name: string;
  /** Relative to the manifest. */
  readonly mapping: string;
  readonly handlers: readonly string[];
}

/** A data source or template, and which of its handlers tests ran. */
export interface CoveredSource {
  readonly name: string;
  readonly handlers: readonly CoveredHandler[];
}

/** A handler, and whether a test ran it. */
export interface CoveredHandler {
  readonly name: string;
  readonly isTested: boolean;
}

type Handled = Pick<HandlersOfSource, "name" | "handlers">;

/** Collects which handlers of a subgraph tests run. */
export class Coverage {
  readonly #sources: readonly Handled[];
  readonly #ran = new Map<string, Set<string>>();

  /** @param sources data sources and templates, in the order of the report */
  constructor(sources: readonly Handled[]) {
    this.#sources = sources;
  }

  /** Notes that a test ran a handler of a data source or a template. */
  note(handler: string, source: string): void {
    const ran = this.#ran.get(source) ?? new Set();
    this.#ran.set(source, ran.add(handler));
  }

  /** Every handler, tested or not; in the order of the sources. */
  get sources(): readonly CoveredSource[] {
    return this.#sources.map(({ name, handlers }) => ({
      name,
      handlers: handlers.map((handler) => ({
        name: handler,
        isTested: this.#ran.get(name)?.has(handler) ?? false,
      })),
    }));
  }
}
