import type { SyncProgress } from "../../datasets/sync/sync-table.js";
import { count } from "../terminal/count.js";
import { progressLine } from "../terminal/progress.js";
import { StatusLine, type StatusTerminal } from "../terminal/status-line.js";

/** Shows how far a sync is. */
export class SyncDisplay {
  readonly #line: StatusLine;
  readonly #began: number;
  #total = 0;

  /** @param now returns the time in milliseconds */
  constructor(terminal: StatusTerminal, now: () => number) {
    this.#line = new StatusLine(terminal, now);
    this.#began = now();
  }

  /** Announces how many blocks there are to read. */
  expect(blocks: number): void {
    this.#total = blocks;
  }

  update(progress: SyncProgress): void {
    this.#line.show((now) => statusText(progress, this.#total, now - this.#began));
  }

  /** Shows what the sync is waiting for, until its next progress. */
  wait(why: string): void {
    this.#line.show(() => why);
  }

  /** Prints permanent lines above the progress. */
  print(lines: string): void {
    this.#line.print(lines);
  }

  end(): void {
    this.#line.end();
  }
}

/** `█████░░░░░ 50 %, 3 s left | 500 of 1000 blocks | 1200 rows | 3 files | 400 rows/s` @param spent milliseconds */
export function statusText({ rows, files, blocks }: SyncProgress, total: number, spent: number): string {
  const seconds = Math.max(spent / 1000, 0.001);
  return progressLine({ begin: 0, done: blocks, total, spent }, [
    `${blocks} of ${count(total, "block")}`,
    count(rows, "row"),
    count(files, "file"),
    `${Math.round(rows / seconds)} rows/s`,
  ]);
}
