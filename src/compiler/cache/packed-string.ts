import { invariant } from "../../base/invariant.js";
import type { LocatedString, Location } from "../source/source.js";

/** A located string as plain data. */
export interface PackedString {
  readonly value: string;
  readonly at: Location;
  /**
   * Offset of the string if its source contains it unchanged; otherwise the start offset of each unit, and
   * the end.
   */
  readonly starts: number | Int32Array;
  /** End offset of each unit. */
  readonly ends?: Int32Array;
}

/** Maximum length of a packed string. Beyond it, the table of offsets would outgrow the source. */
export const longestPacked = 1 << 16;

/** Packs a string of at most `longestPacked` units, by locating each unit. */
export function packString(string: LocatedString): PackedString {
  const { value, at } = string;
  const { length } = value;
  invariant(length <= longestPacked, "a string is too long to be packed");
  const starts = Int32Array.from({ length: length + 1 }, (_, offset) => string.part(offset, offset).start);
  const ends = Int32Array.from({ length }, (_, offset) => string.part(offset, offset + 1).end);
  const [first = 0] = starts;
  const isVerbatim =
    starts.every((start, offset) => start === first + offset) &&
    ends.every((end, offset) => end === first + offset + 1);
  return isVerbatim ? { value, at, starts: first } : { value, at, starts, ends };
}

/** Unpacks a string with the same locations. */
export function unpackString({ value, at, starts, ends }: PackedString): LocatedString {
  const startOf = (offset: number): number =>
    typeof starts === "number" ? starts + offset : (starts[offset] as number);
  const endOf = (offset: number): number => (ends ? (ends[offset - 1] as number) : startOf(offset));
  return {
    value,
    at,
    part(start, end) {
      const from = Math.max(0, Math.min(start, value.length));
      const to = Math.max(from, Math.min(end, value.length));
      return { ...at, start: startOf(from), end: to === from ? startOf(from) : endOf(to) };
    },
  };
}
