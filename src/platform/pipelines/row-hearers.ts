import { reportFailure } from "../../base/failures.js";
import { guarded } from "../../base/turns/guarded.js";
import type { PipelineEnd, TappedRows } from "../../pipelines/host/pipeline-engine.js";

/** Receives rows of a pipeline. */
export interface RowHearer {
  rows(tapped: TappedRows): void;
  /** The pipeline has ended here. */
  ended(how: PipelineEnd["kind"]): void;
}

/** The viewers of one pipeline's rows, each with its own nodes. */
export class RowHearers {
  readonly #ask: (nodes: readonly string[]) => void;
  readonly #hearers = new Map<RowHearer, ReadonlySet<string>>();

  /** @param ask asks the pipeline for the rows of some nodes, and of no others */
  constructor(ask: (nodes: readonly string[]) => void) {
    this.#ask = ask;
  }

  /** Adds a hearer. @returns a function that removes it */
  add(nodes: readonly string[], hearer: RowHearer): () => void {
    this.#hearers.set(hearer, new Set(nodes));
    this.#askForAll();
    return () => {
      if (this.#hearers.delete(hearer)) this.#askForAll();
    };
  }

  /** Passes rows on to the viewers of their node. */
  hear(tapped: TappedRows): void {
    for (const [hearer, nodes] of this.#hearers)
      if (nodes.has(tapped.node)) guarded(() => hearer.rows(tapped), reportFailure)();
  }

  /** Tells all listeners that the pipeline has ended. */
  end(how: PipelineEnd["kind"]): void {
    const all = [...this.#hearers.keys()];
    this.#hearers.clear();
    for (const hearer of all) guarded(() => hearer.ended(how), reportFailure)();
  }

  #askForAll(): void {
    this.#ask([...new Set([...this.#hearers.values()].flatMap((nodes) => [...nodes]))]);
  }
}
