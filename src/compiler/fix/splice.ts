/** A replacement of a span of a text. */
export interface Splice {
  readonly start: number;
  /** One past the last replaced character. */
  readonly end: number;
  readonly text: string;
}

/** Applies sorted splices that do not overlap. */
export function splice(text: string, splices: readonly Splice[]): string {
  let result = "";
  let at = 0;
  for (const { start, end, text: put } of splices) {
    result += text.slice(at, start) + put;
    at = end;
  }
  return result + text.slice(at);
}
