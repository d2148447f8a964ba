import type { EntityChange } from "../../subgraph/schema/entity.js";
import type { CreatedDataSource } from "../store/store.js";
import type { ActiveSource } from "./active-source.js";
import type { ActiveSources } from "./active-sources.js";
import type { HandlerFailure } from "./failure.js";
import type { LogLine } from "./handler-world.js";

/** Results of the handlers of a block so far. */
export class BlockResults {
  readonly lines: LogLine[] = [];
  readonly created: CreatedDataSource[] = [];
  readonly errors: HandlerFailure[] = [];
  /** What files have written, and the regions of those that were handled. */
  readonly fileChanges: EntityChange[] = [];
  readonly filesDone: number[] = [];
  readonly #sources: Pick<ActiveSources, "create">;
  #handlers = 0;

  constructor(sources: Pick<ActiveSources, "create">) {
    this.#sources = sources;
  }

  /** How many handlers ran. */
  get handlers(): number {
    return this.#handlers;
  }

  /** Adds a handler that ended. */
  add({ lines }: { readonly lines: readonly LogLine[] }): void {
    this.#handlers += 1;
    // Not by spread: there may be more lines than a call allows arguments.
    for (const line of lines) this.lines.push(line);
  }

  /** Creates data sources, but for those that there are already; the new ones. */
  create(wanted: readonly CreatedDataSource[]): readonly ActiveSource[] {
    return wanted.flatMap((one) => {
      const source = this.#sources.create(one);
      if (!source) return [];
      this.created.push(source.creation ?? one);
      return [source];
    });
  }
}
