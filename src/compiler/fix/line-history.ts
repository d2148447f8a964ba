import { positionAt } from "../source/source.js";
import type { Splice } from "./splice.js";

/** Remembers which lines of a text are still what they were while the text is changed. */
export class LineHistory {
  readonly #lines: (number | undefined)[];

  constructor(text: string) {
    this.#lines = text.split("\n").map((_, index) => index);
  }

  /** For each line of the text as it is now the line it was at first, both from 0; nothing where it was changed. */
  get lines(): readonly (number | undefined)[] {
    return this.#lines;
  }

  /**
   * Notes a change.
   * @param text the text before it
   */
  change(text: string, splices: readonly Splice[]): void {
    const source = { path: "", text };
    // From the end, so that the line numbers of those before stay what they are.
    for (const { start, end, text: put } of splices.toReversed()) {
      const first = positionAt(source, start).line - 1;
      const last = positionAt(source, end).line - 1;
      const changed = put.split("\n").map(() => undefined);
      this.#lines.splice(first, last - first + 1, ...changed);
    }
  }
}
