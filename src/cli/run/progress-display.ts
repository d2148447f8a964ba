import type { Progress } from "../../runtime/indexer/indexer.js";
import { count } from "../terminal/count.js";
import { progressLine } from "../terminal/progress.js";
import { StatusLine, type StatusTerminal } from "../terminal/status-line.js";

/** Shows the progress of running one or several chains. */
export class ProgressDisplay {
  readonly #line: StatusLine;
  readonly #chains = new Map<string, Progress>();
  readonly #now: () => number;
  readonly #began: number;
  #firstAt: number | undefined;
  /** The block at which each chain was first seen. */
  readonly #begins = new Map<string, number>();

  /** @param now returns the time in milliseconds */
  constructor(terminal: StatusTerminal, now: () => number) {
    this.#line = new StatusLine(terminal, now);
    this.#now = now;
    this.#began = now();
  }

  update(chain: string, progress: Progress): void {
    this.#chains.set(chain, progress);
    this.#firstAt ??= this.#now();
    if (!this.#begins.has(chain)) this.#begins.set(chain, progress.block);
    this.#line.show((now) => this.#summary(now));
  }

  /** Shows what a chain is waiting for, until its next progress. */
  wait(chain: string, why: string): void {
    this.#line.show(() => `${chain}: ${why}`);
  }

  /** Prints permanent lines above the progress. */
  print(lines: string): void {
    this.#line.print(lines);
  }

  /** Removes the progress. */
  end(): void {
    this.#line.end();
  }

  #summary(now: number): string {
    const states = [...this.#chains];
    const isAlone = states.length === 1;
    const blocks = states.map(
      ([chain, { block, target }]) => `${isAlone ? "" : `${chain} `}block ${Math.max(block, 0)} of ${target}`,
    );
    const total = (of: (progress: Progress, chain: string) => number): number =>
      states.reduce((all, [chain, progress]) => all + of(progress, chain), 0);
    const sum = (key: "handlers" | "writes" | "reads"): number => total((progress) => progress[key]);
    const rate = Math.round(sum("handlers") / Math.max((now - this.#began) / 1000, 0.001));
    const work = {
      begin: total(({ block }, chain) => this.#begins.get(chain) ?? block),
      done: total(({ block }) => block),
      total: total(({ target }) => target),
      spent: now - (this.#firstAt ?? now),
    };
    return progressLine(work, [
      blocks.join(", "),
      `${rate}/s`,
      count(sum("handlers"), "trigger"),
      `${sum("writes")} entities`,
      count(sum("reads"), "call"),
    ]);
  }
}
