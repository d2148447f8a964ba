import { positionAt } from "../source/source.js";
import type { Splice } from "./splice.js";

/** Tracks which lines of a text remain unchanged while it is edited. */
export class LineHistory {
  readonly #lines: (number | undefined)[];

  constructor(text: string) {
    this.#lines = text.split("\n").map((_, index) => index);
  }

  /** The original line number of each current line, both from 0; `undefined` for changed lines. */
  get lines(): readonly (number | undefined)[] {
    return this.#lines;
  }

  /**
   * Records a change.
   * @param text the text before the change
   */
  change(text: string, splices: readonly Splice[]): void {
    const source = { path: "", text };
    // In reverse, so that the numbers of earlier lines stay valid.
    for (const { start, end, text: put } of splices.toReversed()) {
      const first = positionAt(source, start).line - 1;
      const last = positionAt(source, end).line - 1;
      const changed = put.split("\n").map(() => undefined);
      this.#lines.splice(first, last - first + 1, ...changed);
    }
  }
}
