import { visible } from "../../base/text/visible.js";
import { passing as passingTo } from "./passing.js";
import type { Terminal } from "./terminal.js";

/** Milliseconds between two updates on a terminal, and between two lines elsewhere. */
const onTerminal = 100;
const elsewhere = 10_000;
const eraseLine = "\r\u001b[2K";

/** The part of a terminal that a status line needs. */
export type StatusTerminal = Pick<Terminal, "err" | "passing" | "isTty" | "columns">;

/** A status line for long work: rewritten in place on a terminal, printed now and then elsewhere. */
export class StatusLine {
  readonly #terminal: StatusTerminal;
  readonly #pass: (text: string) => void;
  readonly #now: () => number;
  #shown: number;
  /** The current content of the terminal's last line. */
  #line = "";

  /** @param now returns the time in milliseconds */
  constructor(terminal: StatusTerminal, now: () => number) {
    this.#terminal = terminal;
    this.#pass = passingTo(terminal);
    this.#now = now;
    this.#shown = terminal.isTty ? Number.NEGATIVE_INFINITY : now();
  }

  /** Shows a status; throttled. */
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

  /** Prints permanent lines above the status. */
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

  /** Lets something else print lines above the status. */
  above(print: () => void): void {
    if (this.#line !== "") this.#pass(eraseLine);
    print();
    if (this.#line !== "") this.#pass(this.#line);
  }

  /** Prints transient lines, which are not part of a command's final output. */
  pass(lines: string): void {
    this.#pass(this.#line === "" ? lines : `${eraseLine}${lines}${this.#line}`);
  }

  /** Removes the status. */
  end(): void {
    if (this.#line !== "") this.#pass(eraseLine);
    this.#line = "";
  }
}
