import { StringMap } from "../source/string-map.js";

export type YamlStyle = "plain" | "single" | "double" | "block";

/**
 * Maps each character of a YAML scalar to its source.
 * @param text the whole document
 * @param from the first character of the content, after the quote or block header
 * @param to one past the last, before the closing quote
 * @param value the scalar's value according to the YAML parser
 */
export function mapYamlString(
  text: string,
  from: number,
  to: number,
  value: string,
  style: YamlStyle,
): StringMap {
  const map = style === "double" ? mapDoubleQuoted(text, from, to) : mapFolded(text, from, to, value, style);
  if (map.length === value.length) return map;
  // Falls back to the whole scalar, rather than a wrong part, if the parser folds lines in an unknown way.
  const whole = new StringMap(from);
  whole.replace(from, to, value.length);
  return whole;
}

const isBlank = (character: string | undefined): boolean =>
  character === " " || character === "\t" || character === "\n" || character === "\r";

/**
 * Plain, single-quoted and block scalars only change white space (and doubled single quotes), so words in the value
 * correspond one by one to words in the source, and so do the blanks between them.
 */
function mapFolded(text: string, from: number, to: number, value: string, style: YamlStyle): StringMap {
  const map = new StringMap(from);
  let at = from;
  let decoded = 0;
  while (decoded < value.length || at < to) {
    const before = decoded;
    const sourceBlank = runEnd(text, at, to);
    const valueBlank = runEnd(value, decoded, value.length);
    mapBlank(map, text, at, sourceBlank, value, decoded, valueBlank);
    at = sourceBlank;
    decoded = valueBlank;
    while (decoded < value.length && at < to && !isBlank(value[decoded])) {
      const width = style === "single" && text[at] === "'" ? 2 : 1;
      if (width === 1) map.copy(at, 1);
      else map.replace(at, at + width, 1);
      at += width;
      decoded += 1;
    }
    // The rest of the source, trailing blanks and comments of a block scalar, maps to no character.
    if (decoded >= value.length || decoded === before) break;
  }
  return map;
}

function runEnd(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(text[at])) at += 1;
  return at;
}

/**
 * A folded line break is one unit. Any other white space keeps its common prefix and suffix, such as the
 * indentation inside a literal block.
 */
function mapBlank(
  map: StringMap,
  text: string,
  from: number,
  to: number,
  value: string,
  start: number,
  end: number,
): void {
  const isFolded = text.slice(from, to).includes("\n") && !value.slice(start, end).includes("\n");
  const room = isFolded ? 0 : Math.min(to - from, end - start);
  let prefix = 0;
  while (prefix < room && text[from + prefix] === value[start + prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < room - prefix && text[to - 1 - suffix] === " " && value[end - 1 - suffix] === " ")
    suffix += 1;
  if (prefix > 0) map.copy(from, prefix);
  map.replace(from + prefix, to - suffix, end - start - prefix - suffix);
  if (suffix > 0) map.copy(to - suffix, suffix);
}

const escapeDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Double-quoted scalars: escapes, folded lines, and lines joined by a backslash. */
function mapDoubleQuoted(text: string, from: number, to: number): StringMap {
  const map = new StringMap(from);
  let at = from;
  while (at < to) {
    const end = runEnd(text, at, to);
    if (text[at] === "\\") at = mapEscape(map, text, at, to);
    else if (end === at) map.copy(at++, 1);
    else {
      mapFold(map, text, at, end);
      at = end;
    }
  }
  return map;
}

function mapFold(map: StringMap, text: string, from: number, to: number): void {
  const breaks = text.slice(from, to).split("\n").length - 1;
  if (breaks === 0) map.copy(from, to - from);
  else map.replace(from, to, breaks === 1 ? 1 : breaks - 1);
}

function mapEscape(map: StringMap, text: string, at: number, to: number): number {
  const next = text[at + 1] as string;
  if (next === "\n" || next === "\r") {
    let end = at + (next === "\r" ? 3 : 2);
    while (end < to && (text[end] === " " || text[end] === "\t")) end += 1;
    return end;
  }
  const digits = escapeDigits[next] ?? 0;
  const end = at + 2 + digits;
  const code = digits > 0 ? Number.parseInt(text.slice(at + 2, end), 16) : 0;
  map.replace(at, end, code > 0xffff ? 2 : 1);
  return end;
}
