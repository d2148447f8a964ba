import type { NodeCounter } from "../runner/node-counts.js";
import type { NodeStatus } from "./pipeline-engine.js";
import { Rates } from "./rates.js";

/** Counts the rows that sources and transforms give. Each sink computes them for itself, and the one that has most counts. */
export class NodeFigures implements NodeCounter {
  readonly #rates: Rates;
  /** Rows by node, and then by sink. */
  readonly #rows = new Map<string, Map<string, number>>();

  /** @param now milliseconds since the Unix epoch */
  constructor(now: () => number) {
    this.#rates = new Rates(now);
  }

  passed(node: string, sink: string, rows: number): void {
    const bySink = this.#rows.get(node) ?? new Map<string, number>();
    this.#rows.set(node, bySink);
    bySink.set(sink, (bySink.get(sink) ?? 0) + rows);
  }

  /** How many rows each node has given, and how fast. Nodes that have given none are left out. */
  read(): Readonly<Record<string, NodeStatus>> {
    const all = [...this.#rows].map(([node, bySink]): readonly [string, NodeStatus] => {
      const rows = Math.max(...bySink.values());
      return [node, { rows, rate: this.#rates.note(node, rows) }];
    });
    return Object.fromEntries(all);
  }
}
