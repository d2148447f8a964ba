import { visible } from "../../base/visible.js";
import { passing as passingTo } from "./passing.js";
import type { Terminal } from "./terminal.js";

/** Milliseconds between two states on a terminal, and between two lines elsewhere. */
const onTerminal = 100;
const elsewhere = 10_000;
const eraseLine = "\r\u001b[2K";

/** What a status line needs of a terminal. */
export type StatusTerminal = Pick<Terminal, "err" | "passing" | "isTty" | "columns">;

/** One line about work that takes a while: on a terminal it is rewritten, elsewhere a new one comes now and then. */
export class StatusLine {
  readonly #terminal: StatusTerminal;
  readonly #pass: (text: string) => void;
  readonly #now: () => number;
  #shown: number;
  /** What stands on the terminal's last line. */
  #line = "";

  /** @param now the time in milliseconds */
  constructor(terminal: StatusTerminal, now: () => number) {
    this.#terminal = terminal;
    this.#pass = passingTo(terminal);
    this.#now = now;
    this.#shown = terminal.isTty ? Number.NEGATIVE_INFINITY : now();
  }

  /** Shows a state, unless one was shown a moment ago. */
  show(text: (now: number) => string): void {
    const now = this.#now();
    const { isTty, columns = 80 } = this.#terminal;
    if (now - this.#shown < (isTty ? onTerminal : elsewhere)) return;
    this.#shown = now;
    const line = visible(text(now));
    if (!isTty) this.#pass(`${line}\n`);
    else {
      this.#line = line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
      this.#pass(`${eraseLine}${this.#line}`);
    }
  }

  /** Prints whole lines, which stay, above the state. */
  print(lines: string): void {
    const { err, passing } = this.#terminal;
    if (this.#line === "") err(lines);
    else if (!passing) err(`${eraseLine}${lines}${this.#line}`);
    else {
      passing(eraseLine);
      err(lines);
      passing(this.#line);
    }
  }

  /** Takes the state away. */
  end(): void {
    if (this.#line !== "") this.#pass(eraseLine);
    this.#line = "";
  }
}
