import { visible } from "../../base/visible.js";
import type { World } from "./world.js";

/** Milliseconds between two states on a terminal, and between two lines elsewhere. */
const onTerminal = 100;
const elsewhere = 10_000;
const eraseLine = "\r\u001b[2K";

/** One line about work that takes a while: on a terminal it is rewritten, elsewhere a new one comes now and then. */
export class StatusLine {
  readonly #world: Pick<World, "err" | "isTerminal" | "columns">;
  readonly #now: () => number;
  #shown: number;
  /** What stands on the terminal's last line. */
  #line = "";

  /** @param now the time in milliseconds */
  constructor(world: Pick<World, "err" | "isTerminal" | "columns">, now: () => number) {
    this.#world = world;
    this.#now = now;
    this.#shown = world.isTerminal ? Number.NEGATIVE_INFINITY : now();
  }

  /** Shows a state, unless one was shown a moment ago. */
  show(text: (now: number) => string): void {
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

  /** Prints whole lines, which stay, above the state. */
  print(lines: string): void {
    this.#world.err(this.#line === "" ? lines : `${eraseLine}${lines}${this.#line}`);
  }

  /** Takes the state away. */
  end(): void {
    if (this.#line !== "") this.#world.err(eraseLine);
    this.#line = "";
  }
}
