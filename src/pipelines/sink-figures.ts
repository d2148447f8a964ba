import type { SinkStatus } from "./pipeline-engine.js";

/** How fast a sink is, and how far it is behind. */
export type Figures = Required<Pick<SinkStatus, "rate" | "lag">>;

/** Milliseconds over which rows are counted for a rate. */
const window = 10_000;
/** Milliseconds of which only the last reading is kept. */
const step = 250;
/** The shortest time that says something about a rate, in milliseconds. */
const shortest = 1_000;

/** Rows that a sink had written at a time. */
interface Reading {
  readonly at: number;
  readonly rows: number;
}

/** Watches the rows of sinks and the heads of chains. */
export class SinkFigures {
  readonly #now: () => number;
  readonly #readings = new Map<string, Reading[]>();
  /** The newest block of the chain of each source. */
  readonly #heads = new Map<string, number>();

  /** @param now milliseconds since the Unix epoch */
  constructor(now: () => number) {
    this.#now = now;
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
    return { rate: this.#rate(sink, rows), lag: Object.fromEntries(behind) };
  }

  #rate(sink: string, rows: number): number {
    const now = Math.floor(this.#now() / step) * step;
    const readings = this.#readings.get(sink) ?? [];
    this.#readings.set(sink, readings);
    const last = readings.at(-1);
    // A sink that is tried again counts from the beginning.
    if (last && last.rows > rows) readings.splice(0);
    if (last?.at === now) readings.pop();
    readings.push({ at: now, rows });
    // The last one before the window says what there was when it began.
    while ((readings[1]?.at ?? now) <= now - window) readings.shift();
    const [first] = readings;
    if (!first || now - first.at < shortest) return 0;
    const rate = ((rows - first.rows) * 1_000) / (now - first.at);
    return rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate);
  }
}
