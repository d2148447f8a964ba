import type { SinkProgress } from "../../flows/runner/run-sink.js";
import type { Work } from "../terminal/progress.js";

/** How far a sink is on the way to a block. */
interface Aim {
  /** The block and the rows with which it was first seen, and when that was, in milliseconds. */
  readonly begin: number;
  readonly beginRows: number;
  readonly since: number;
  readonly block: number;
  readonly rows: number;
  readonly target: number;
}

/** How far the sinks of a flow are on the way to the heads of their chains. */
export class SinkAims {
  readonly #targets = new Map<string, number>();
  readonly #aims = new Map<string, Aim>();
  /** Sinks that have arrived, and follow their chains since. */
  readonly #arrived = new Set<string>();

  /** Tells up to which block a sink writes. */
  expect(sink: string, block: number): void {
    this.#targets.set(sink, block);
  }

  /** Notes the progress of a sink. Sinks without a known block have no aim. @param now milliseconds */
  update(sink: string, { rows, blocks }: SinkProgress, now: number): void {
    const target = this.#targets.get(sink);
    if (target === undefined || blocks.size === 0 || this.#arrived.has(sink)) return;
    const block = Math.min(...blocks.values());
    const { begin, beginRows, since } = this.#aims.get(sink) ?? { begin: block, beginRows: rows, since: now };
    if (block < target) this.#aims.set(sink, { begin, beginRows, since, block, rows, target });
    else {
      this.#aims.delete(sink);
      this.#arrived.add(sink);
    }
  }

  /** The blocks of all sinks that are on their way; nothing to do if none is. @param now milliseconds */
  work(now: number): Work {
    return {
      begin: this.#sum(({ begin }) => begin),
      done: this.#sum(({ block }) => block),
      total: this.#sum(({ target }) => target),
      spent: now - Math.min(now, ...[...this.#aims.values()].map(({ since }) => since)),
    };
  }

  /** Their rows per second; `undefined` if none is on its way. @param now milliseconds */
  rate(now: number): number | undefined {
    if (this.#aims.size === 0) return undefined;
    const { spent } = this.work(now);
    return Math.round((this.#sum(({ rows, beginRows }) => rows - beginRows) * 1_000) / Math.max(spent, 1));
  }

  #sum(of: (aim: Aim) => number): number {
    return [...this.#aims.values()].reduce((all, aim) => all + of(aim), 0);
  }
}
