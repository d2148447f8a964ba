import type { Span } from "./json-scanner.js";
import { StringMap } from "./string-map.js";

const simpleEscapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "0": "\0",
};

/** The escapes between two offsets: their span, and what they stand for. */
function* escapes(text: string, from: number, to: number): Generator<Span & { readonly value: string }> {
  for (let at = text.indexOf("\\", from); at !== -1 && at < to; ) {
    const next = text[at + 1] as string;
    let end = at + 2;
    let value = simpleEscapes[next] ?? next;
    if (next === "u" || next === "x") {
      end += next === "u" ? 4 : 2;
      value = String.fromCharCode(Number.parseInt(text.slice(at + 2, end), 16));
    } else if (/[\n\r\u2028\u2029]/.test(next)) {
      if (next === "\r" && text[end] === "\n") end += 1;
      value = "";
    }
    yield { start: at, end, value };
    at = text.indexOf("\\", end);
  }
}

/** The value of the characters between two offsets, which the scanner has found sound. */
export function decodeEscapes(text: string, from: number, to: number): string {
  let value = "";
  let at = from;
  for (const piece of escapes(text, from, to)) {
    value += text.slice(at, piece.start) + piece.value;
    at = piece.end;
  }
  return value + text.slice(at, to);
}

/** Where each character of such a value came from. */
export function mapEscapes(text: string, from: number, to: number): StringMap {
  const map = new StringMap(from);
  let at = from;
  for (const piece of escapes(text, from, to)) {
    if (piece.start > at) map.copy(at, piece.start - at);
    map.replace(piece.start, piece.end, piece.value.length);
    at = piece.end;
  }
  if (to > at) map.copy(at, to - at);
  return map;
}
