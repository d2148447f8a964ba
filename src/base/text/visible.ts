/**
 * Control, format and separator characters, which a terminal would obey, hide or reorder instead of showing
 * them.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const noWidth = /^[\p{Mn}\p{Me}\u200c\u200d]$/u;
/** Within words of these scripts, a joiner (U+200D) or non-joiner (U+200C) is part of the spelling. */
const joined = [
  "Arabic",
  "Syriac",
  "Mongolian",
  "Devanagari",
  "Bengali",
  "Gurmukhi",
  "Gujarati",
  "Oriya",
  "Tamil",
]
  .concat(["Telugu", "Kannada", "Malayalam", "Sinhala", "Myanmar", "Khmer", "Tibetan", "Nko"])
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const withinWord = new RegExp(`(?<=[${joined}])[\\u200c\\u200d](?=[${joined}])`, "gu");
/** Between emoji, a joiner combines them: 👩‍🚀. */
const withinEmoji =
  /(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})/gu;
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;

/** One character as a terminal shows it. */
export interface Cell {
  /** Offset in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Columns of a terminal. */
  readonly width: number;
}

/**
 * The characters of a range of a text as a terminal can show them: control characters and characters that change the
 * direction of the text are written as escapes, tabs as two spaces. Joiners within words and emoji stay.
 */
export function cellsOf(text: string, from: number, to: number): Cell[] {
  const cells: Cell[] = [];
  const kept = joinersOf(text);
  for (let at = from; at < to; ) {
    const character = String.fromCodePoint(text.codePointAt(at) as number);
    const end = at + character.length;
    const shown = character === "\t" ? "  " : kept.has(at) ? character : shownAs(character);
    cells.push({ start: at, end, text: shown, width: widthOf(character, shown) });
    at = end;
  }
  return cells;
}

/** Makes a message that may quote the configuration safe to print on one line. */
export function visible(text: string): string {
  if (!unsafe.test(text)) return text;
  const kept = joinersOf(text);
  let at = 0;
  return Array.from(text, (character) => {
    const shown = kept.has(at) ? character : shownAs(character);
    at += character.length;
    return shown;
  }).join("");
}

/** The same for a serialized JSON document, which stays valid JSON. */
export function visibleJson(json: string): string {
  return json.replace(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => unicodeEscape(character.charCodeAt(index))).join(
      "",
    ),
  );
}

/** The offsets of joiners that belong to words or emoji. */
function joinersOf(text: string): ReadonlySet<number> {
  if (!/[\u200c\u200d]/.test(text)) return new Set();
  const found = [withinWord, withinEmoji].flatMap((pattern) => [...text.matchAll(pattern)]);
  return new Set(found.map(({ index }) => index));
}

function shownAs(character: string): string {
  if (!unsafe.test(character)) return character;
  const code = character.codePointAt(0) as number;
  return shortEscapes[character] ?? (code > 0xffff ? `\\u{${code.toString(16)}}` : unicodeEscape(code));
}

function unicodeEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

function widthOf(character: string, shown: string): number {
  if (shown !== character) return shown.length;
  if (noWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
