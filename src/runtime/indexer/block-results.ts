import type { EntityChange } from "../../subgraph/schema/entity.js";
import type { CreatedDataSource, HandlerRuns } from "../store/store.js";
import type { ActiveSource } from "./active-source.js";
import type { ActiveSources } from "./active-sources.js";
import type { HandlerFailure } from "./failure.js";
import type { LogLine } from "./handler-world.js";
import type { Match } from "./triggers/triggers.js";

/** Counts while the handlers of a block run. */
interface GrowingRuns extends HandlerRuns {
  count: number;
  readonly stored: Map<string, number>;
}

const nothing: ReadonlyMap<string, number> = new Map();

/** The results so far of the handlers of a block. */
export class BlockResults {
  readonly lines: LogLine[] = [];
  readonly created: CreatedDataSource[] = [];
  readonly errors: HandlerFailure[] = [];
  /** The changes by file handlers, and the regions of the handled files. */
  readonly fileChanges: EntityChange[] = [];
  readonly filesDone: number[] = [];
  readonly #sources: Pick<ActiveSources, "create">;
  readonly #runs = new Map<string, GrowingRuns>();
  #handlers = 0;

  constructor(sources: Pick<ActiveSources, "create">) {
    this.#sources = sources;
  }

  /** The number of handlers that ran. */
  get handlers(): number {
    return this.#handlers;
  }

  /** How often each handler ran, in the order of their first runs. */
  get runs(): readonly HandlerRuns[] {
    return [...this.#runs.values()];
  }

  /** Adds the result of a handler. @param stored how many entities of each type it set or removed */
  add(
    { source: { template }, handler }: Pick<Match, "source" | "handler">,
    { lines }: { readonly lines: readonly LogLine[] },
    stored = nothing,
  ): void {
    this.#handlers += 1;
    const key = `${template.name} ${handler}`;
    const known = this.#runs.get(key);
    const runs = known ?? { source: template.name, handler, count: 0, stored: new Map() };
    if (!known) this.#runs.set(key, runs);
    runs.count += 1;
    for (const [type, count] of stored) runs.stored.set(type, (runs.stored.get(type) ?? 0) + count);
    // Not with a spread: there may be more lines than a call can take arguments.
    for (const line of lines) this.lines.push(line);
  }

  /** Creates the data sources that do not exist yet. @returns the new ones */
  create(wanted: readonly CreatedDataSource[]): readonly ActiveSource[] {
    return wanted.flatMap((one) => {
      const source = this.#sources.create(one);
      if (!source) return [];
      this.created.push(source.creation ?? one);
      return [source];
    });
  }
}
