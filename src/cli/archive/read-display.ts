import type { KeptChain } from "../../datasets/archive/kept-chains.js";
import { progressLine } from "../terminal/progress.js";
import { size } from "../terminal/size.js";
import { StatusLine, type StatusTerminal } from "../terminal/status-line.js";

/** Shows how much of the files of chains was read. */
export class ReadDisplay {
  readonly #line: StatusLine;
  readonly #total: number;
  readonly #now: () => number;
  readonly #began: number;
  #done = 0;

  /** @param now returns the time in milliseconds */
  constructor(terminal: StatusTerminal, chains: readonly KeptChain[], now: () => number) {
    this.#line = new StatusLine(terminal, now);
    this.#total = chains
      .flatMap(({ manifest }) => manifest.segments)
      .flatMap(({ files }) => files)
      .reduce((sum, { bytes }) => sum + bytes, 0);
    this.#now = now;
    this.#began = now();
  }

  /** Adds a file that was read. */
  readonly read = (bytes: number): void => {
    this.#done += bytes;
    this.#line.show(() => readText(this.#done, this.#total, this.#now() - this.#began));
  };

  /** Removes the progress, until the next file is read. */
  end(): void {
    this.#line.end();
  }
}

/** `█████░░░░░ 50 %, 3 s left | 1.2 GB of 2.4 GB | 80 MB/s` @param spent milliseconds */
export function readText(done: number, total: number, spent: number): string {
  const rate = done / Math.max(spent / 1000, 0.001);
  return progressLine({ begin: 0, done, total, spent }, [
    `${size(done)} of ${size(total)}`,
    `${size(rate)}/s`,
  ]);
}
