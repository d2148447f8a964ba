/** Receives how many rows pass sources and transforms. */
export interface NodeCounter {
  /** @param sink the sink that the rows are computed for, since each sink computes them separately */
  passed(node: string, sink: string, rows: number): void;
}

/** Counts the rows of a batch at the nodes that lead to a sink. A row that was changed counts once. */
export class BatchCounts {
  readonly #counter: NodeCounter;
  readonly #sink: string;
  readonly #rows = { minus: new Map<string, number>(), plus: new Map<string, number>() };

  constructor(counter: NodeCounter, sink: string) {
    this.#counter = counter;
    this.#sink = sink;
  }

  /** Adds rows of a node, for all blocks or for some of them. */
  add(node: string, half: "minus" | "plus", rows: number): void {
    const counted = this.#rows[half];
    counted.set(node, (counted.get(node) ?? 0) + rows);
  }

  /** Reports the batch to the counter. */
  end(): void {
    const { minus, plus } = this.#rows;
    for (const node of new Set([...minus.keys(), ...plus.keys()])) {
      const rows = Math.max(minus.get(node) ?? 0, plus.get(node) ?? 0);
      if (rows > 0) this.#counter.passed(node, this.#sink, rows);
    }
  }
}
