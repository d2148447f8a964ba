import type { Span } from "../source/source.js";

/**
 * The spans of an array's items in a JSON text. The text is valid, so scanning brackets and quotes is enough: an ABI
 * of 10 MB takes milliseconds; parsing it to a tree would take seconds.
 * @param path the keys and indexes to the array
 */
export function itemSpans(text: string, path: readonly string[]): readonly Span[] {
  let at = seek(text, path);
  const spans: Span[] = [];
  at = skipBlank(text, at + 1);
  while (at < text.length && text[at] !== "]") {
    const end = skipValue(text, at);
    spans.push({ start: at, end });
    at = skipBlank(text, end);
    if (text[at] === ",") at = skipBlank(text, at + 1);
  }
  return spans;
}

/** The span of the value at a path of keys and indexes. */
export function valueSpan(text: string, path: readonly string[]): Span {
  const start = seek(text, path);
  return { start, end: skipValue(text, start) };
}

function seek(text: string, path: readonly string[]): number {
  let at = skipBlank(text, 0);
  for (const key of path)
    at = text[at] === "[" ? itemValue(text, at, Number(key)) : memberValue(text, at, key);
  return at;
}

function itemValue(text: string, list: number, index: number): number {
  let at = skipBlank(text, list + 1);
  for (let passed = 0; passed < index; passed++) {
    at = skipBlank(text, skipValue(text, at));
    if (text[at] === ",") at = skipBlank(text, at + 1);
  }
  return at;
}

/** Offset of the value of a key; for a repeated key, its last value, as in `JSON.parse`. */
function memberValue(text: string, object: number, key: string): number {
  let found = object;
  let at = skipBlank(text, object + 1);
  while (at < text.length && text[at] !== "}") {
    const keyEnd = skipString(text, at);
    const isWanted = JSON.parse(text.slice(at, keyEnd)) === key;
    at = skipBlank(text, skipBlank(text, keyEnd) + 1);
    if (isWanted) found = at;
    at = skipBlank(text, skipValue(text, at));
    if (text[at] === ",") at = skipBlank(text, at + 1);
  }
  return found;
}

function skipBlank(text: string, from: number): number {
  return skip(/[ \t\r\n]*/y, text, from);
}

function skipString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

function skipValue(text: string, from: number): number {
  if (text[from] === '"') return skipString(text, from);
  if (text[from] !== "{" && text[from] !== "[") return skip(/[^\s,\]}]+/y, text, from);
  let depth = 0;
  let at = from;
  do {
    at = skip(/[^"{}[\]]*/y, text, at);
    const next = text[at];
    if (next === '"') at = skipString(text, at);
    else {
      depth += next === "{" || next === "[" ? 1 : -1;
      at += 1;
    }
  } while (depth > 0 && at < text.length);
  return at;
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
