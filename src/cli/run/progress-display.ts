import { visible } from "../../diagnostics/visible.js";
import type { Progress } from "../../runtime/executor/indexer.js";
import { count } from "../summary.js";
import type { World } from "../world.js";

/** Milliseconds between two states on a terminal, and between two lines elsewhere. */
const onTerminal = 100;
const elsewhere = 10_000;
const eraseLine = "\r\u001b[2K";

/**
 * Shows how far the run of one or several chains is: on a terminal one line that is rewritten, elsewhere a line now and
 * then.
 */
export class ProgressDisplay {
  readonly #world: Pick<World, "err" | "isTerminal" | "columns">;
  readonly #now: () => number;
  readonly #chains = new Map<string, Progress>();
  readonly #began: number;
  #shown: number;
  /** What stands on the terminal's last line. */
  #line = "";

  /** @param now the time in milliseconds */
  constructor(world: Pick<World, "err" | "isTerminal" | "columns">, now: () => number) {
    this.#world = world;
    this.#now = now;
    this.#began = now();
    this.#shown = world.isTerminal ? Number.NEGATIVE_INFINITY : this.#began;
  }

  /** Takes note of how far a chain is. */
  update(chain: string, progress: Progress): void {
    this.#chains.set(chain, progress);
    this.#show((now) => this.#summary(now));
  }

  /** Says what a chain waits for, until there is progress again. */
  wait(chain: string, why: string): void {
    this.#show(() => `${chain}: ${why}`);
  }

  /** Prints whole lines, which stay, above the progress. */
  print(lines: string): void {
    this.#world.err(this.#line === "" ? lines : `${eraseLine}${lines}${this.#line}`);
  }

  /** Takes the progress away. */
  end(): void {
    if (this.#line !== "") this.#world.err(eraseLine);
    this.#line = "";
  }

  #show(text: (now: number) => string): void {
    const now = this.#now();
    const { isTerminal, columns = 80, err } = this.#world;
    if (now - this.#shown < (isTerminal ? onTerminal : elsewhere)) return;
    this.#shown = now;
    const line = visible(text(now));
    if (!isTerminal) err(`${line}\n`);
    else {
      this.#line = line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
      err(`${eraseLine}${this.#line}`);
    }
  }

  #summary(now: number): string {
    const states = [...this.#chains];
    const isAlone = states.length === 1;
    const blocks = states.map(
      ([chain, { block, target }]) => `${isAlone ? "" : `${chain} `}block ${Math.max(block, 0)} of ${target}`,
    );
    const sum = (key: "handlers" | "writes" | "reads"): number =>
      states.reduce((total, [, progress]) => total + progress[key], 0);
    const rate = Math.round(sum("handlers") / Math.max((now - this.#began) / 1000, 0.001));
    return [
      blocks.join(", "),
      count(sum("handlers"), "trigger"),
      `${sum("writes")} entities`,
      count(sum("reads"), "call"),
      `${rate}/s`,
    ].join(" | ");
  }
}
