import type { SinkStatus } from "./pipeline-engine.js";
import { Rates } from "./rates.js";

/** How fast a sink is, and how far it is behind. */
export type Figures = Required<Pick<SinkStatus, "rate" | "lag">>;

/** Watches the rows of sinks and the heads of chains. */
export class SinkFigures {
  readonly #rates: Rates;
  /** The newest block of the chain of each source. */
  readonly #heads = new Map<string, number>();

  /** @param now milliseconds since the Unix epoch */
  constructor(now: () => number) {
    this.#rates = new Rates(now);
  }

  /** A source has seen the head of its chain. */
  seen(source: string, head: number): void {
    this.#heads.set(source, head);
  }

  /** Notes how many rows a sink has written, and says how it is doing now. */
  read(sink: string, { rows, blocks }: Pick<SinkStatus, "rows" | "blocks">): Figures {
    const behind = Object.entries(blocks).flatMap(([source, block]) => {
      const head = this.#heads.get(source);
      return head === undefined ? [] : [[source, Math.max(0, head - block)] as const];
    });
    return { rate: this.#rates.note(sink, rows), lag: Object.fromEntries(behind) };
  }
}
