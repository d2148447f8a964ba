/** A text with a name: a configuration file, an ABI file, standard input. */
export interface Source {
  /** Path as the user wrote it, or `<stdin>`; diagnostics print it. */
  readonly path: string;
  /** Decoded text, without a byte order mark. */
  readonly text: string;
}

/** A span of a text, in UTF-16 offsets. */
export interface Span {
  readonly start: number;
  /** One past the last character. */
  readonly end: number;
}

/** A location in a source: a span and the JSON pointer of its value. */
export interface Location extends Span {
  readonly source: Source;
  /** RFC 6901 pointer of the value, such as `/instances/0/chain`; empty for the whole document. */
  readonly pointer: string;
}

/** A value with its location. */
export interface Located<T> {
  readonly value: T;
  readonly at: Location;
}

/** A string that the user wrote. Any part can be located, even across escapes and folded lines. */
export interface LocatedString extends Located<string> {
  /**
   * Locates a part of the decoded string.
   * @param start UTF-16 offset in `value`
   * @param end one past the last character
   */
  part(start: number, end: number): Location;
}

/** Line and column, both from 1; the column counts UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

const lineStartsOf = new WeakMap<Source, readonly number[]>();

function lineStarts(source: Source): readonly number[] {
  const known = lineStartsOf.get(source);
  if (known) return known;
  const starts = [0];
  for (let at = source.text.indexOf("\n"); at !== -1; at = source.text.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  lineStartsOf.set(source, starts);
  return starts;
}

/** The line and column of an offset. For an offset past the end, of the text's end. */
export function positionAt(source: Source, offset: number): Position {
  const starts = lineStarts(source);
  const clamped = Math.max(0, Math.min(offset, source.text.length));
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= clamped) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: clamped - (starts[low] as number) + 1 };
}

/** Appends a key or index to a JSON pointer, escaped as in RFC 6901. */
export function childPointer(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
