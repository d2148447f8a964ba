import { type Location, positionAt, type Source, type Span } from "../../compiler/source/source.js";
import type { SourceText } from "../../subgraph/config-places.js";

/** The most characters before and after a location that are kept. A configuration may be one long line. */
const around = 120;

/** Collects the lines around locations of one source. Each location lies within a line. */
export class LinesAround {
  readonly #spans: Span[] = [];
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  add({ start, end }: Location): void {
    const { text } = this.#source;
    const lineStart = start - positionAt(this.#source, start).column + 1;
    const [lineEnd = text.length] = ["\n", "\r"]
      .map((mark) => text.indexOf(mark, end))
      .filter((found) => found !== -1)
      .toSorted((a, b) => a - b);
    this.#spans.push({ start: Math.max(lineStart, start - around), end: Math.min(lineEnd, end + around) });
  }

  /** The lines, or the parts of long lines. Parts that overlap are one. @param index of the source */
  texts(index: number): readonly SourceText[] {
    const parts: { start: number; end: number }[] = [];
    for (const { start, end } of this.#spans.toSorted((a, b) => a.start - b.start)) {
      const last = parts.at(-1);
      // Spans of different lines have a line break between them.
      if (last && start <= last.end) last.end = Math.max(last.end, end);
      else parts.push({ start, end });
    }
    return parts.map(({ start, end }) => {
      const { line, column } = positionAt(this.#source, start);
      return [index, line, column, this.#source.text.slice(start, end)];
    });
  }
}
