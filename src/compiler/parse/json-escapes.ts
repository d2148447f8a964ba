import type { Span } from "../source/source.js";
import { StringMap } from "../source/string-map.js";

const simpleEscapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "0": "\0",
};

function* escapes(inside: string): Generator<Span & { readonly value: string }> {
  for (let at = inside.indexOf("\\"); at !== -1; ) {
    const next = inside[at + 1] as string;
    let end = at + 2;
    let value = simpleEscapes[next] ?? next;
    if (next === "u" || next === "x") {
      end += next === "u" ? 4 : 2;
      value = String.fromCharCode(Number.parseInt(inside.slice(at + 2, end), 16));
    } else if (/[\n\r\u2028\u2029]/.test(next)) {
      if (next === "\r" && inside[end] === "\n") end += 1;
      value = "";
    }
    yield { start: at, end, value };
    at = inside.indexOf("\\", end);
  }
}

/** Decodes the inside of a string, which the scanner has validated. */
export function decodeEscapes(inside: string): string {
  let value = "";
  let at = 0;
  for (const piece of escapes(inside)) {
    value += inside.slice(at, piece.start) + piece.value;
    at = piece.end;
  }
  return value + inside.slice(at);
}

/**
 * Maps each character of a decoded value to its source.
 * @param from the first character of the inside
 * @param to one past its last, before the closing quote
 */
export function mapEscapes(text: string, from: number, to: number): StringMap {
  // Slice first: otherwise, a search for the next escape would run to the end of the text.
  const inside = text.slice(from, to);
  const map = new StringMap(from);
  let at = 0;
  for (const piece of escapes(inside)) {
    if (piece.start > at) map.copy(from + at, piece.start - at);
    map.replace(from + piece.start, from + piece.end, piece.value.length);
    at = piece.end;
  }
  if (inside.length > at) map.copy(from + at, inside.length - at);
  return map;
}
