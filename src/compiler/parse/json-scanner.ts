import type { Code } from "../diagnostics/catalog.js";
import type { Details } from "../diagnostics/diagnostic.js";
import type { Source, Span } from "../source/source.js";

/** `json` tolerates comments and trailing commas; `json5` is full JSON5. */
export type JsonDialect = "json" | "json5";

/** A syntax error, which ends parsing; `parseJson` turns it into a diagnostic. */
export class SyntaxFault extends Error {
  override readonly name = "SyntaxFault";
  readonly code: Code;
  readonly start: number;
  readonly end: number;
  readonly details: Details;

  constructor(code: Code, start: number, end: number, message: string, details: Details = {}) {
    super(message);
    this.code = code;
    this.start = start;
    this.end = end;
    this.details = details;
  }
}

const blank = {
  json: /[ \t\r\n]+/y,
  json5: /[\s\ufeff]+/y,
};
const number = {
  json: /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y,
  json5: /[+-]?(?:Infinity|NaN|0[xX][\da-fA-F]+|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y,
};
const identifier =
  /(?:[$_\p{ID_Start}]|\\u[\da-fA-F]{4})(?:[$_\p{ID_Continue}]|\u200c|\u200d|\\u[\da-fA-F]{4})*/uy;
/** A word as a reader sees it, for messages. */
const word = /[-+.$\w]+/y;
/** A string on one line, for messages. */
const wholeString = /"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters JSON forbids in a string
const plainRun = { json: /[^"\\\u0000-\u001f]+/y, json5: /[^"'\\\r\n]+/y };

/** A scanner of JSON tokens; every error has a location. */
export class JsonScanner {
  readonly text: string;
  readonly dialect: JsonDialect;
  at = 0;

  constructor(source: Source, dialect: JsonDialect) {
    this.text = source.text;
    this.dialect = dialect;
  }

  /** Skips white space and comments; returns whether any text is left. */
  skipBlank(): boolean {
    for (;;) {
      this.match(blank[this.dialect]);
      if (this.text.startsWith("//", this.at)) this.#skipLine();
      else if (this.text.startsWith("/*", this.at)) this.#skipBlock();
      else return this.at < this.text.length;
    }
  }

  /** Skips `character` if it is next. */
  take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  /** Matches a sticky pattern here and advances past it. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found) this.at += found.length;
    return found;
  }

  /** Scans the string that starts here; the span includes the quotes. */
  string(): Span {
    const start = this.at;
    const quote = this.text[start] as string;
    this.at += 1;
    for (;;) {
      this.match(plainRun[this.dialect]);
      const next = this.text[this.at];
      if (next === quote) {
        this.at += 1;
        return { start, end: this.at };
      }
      if (next === undefined) this.#unclosedString(start, this.text.length);
      else if (next === "\\") this.#escape();
      else if (this.dialect === "json5" && (next === '"' || next === "'")) this.at += 1;
      else if (next === "\n" || next === "\r") this.#unclosedString(start, this.at);
      else this.#rawControl(next);
    }
  }

  /** Scans the number that starts here. */
  number(): Span {
    const start = this.at;
    const found = this.match(number[this.dialect]);
    if (found && !this.peekWord()) return { start, end: this.at };
    this.at = start;
    const text = this.match(word) ?? this.text[start] ?? "";
    throw new SyntaxFault("syntax-error", start, start + text.length, `${quoted(text)} is not a number`, {
      label: `not a valid ${this.dialect === "json" ? "JSON" : "JSON5"} number`,
      hint: hintForNumber(text),
    });
  }

  /** Scans the bare key that starts here, if any (JSON5 only). */
  identifier(): Span | undefined {
    const start = this.at;
    return this.match(identifier) ? { start, end: this.at } : undefined;
  }

  /** The word at this position, without advancing. */
  peekWord(): string | undefined {
    word.lastIndex = this.at;
    return word.exec(this.text)?.[0];
  }

  /** The string at this position, quotes included, if it is complete; without advancing. */
  peekString(): string | undefined {
    wholeString.lastIndex = this.at;
    return wholeString.exec(this.text)?.[0];
  }

  /** An error about unexpected text here. */
  unexpected(expected: string, details: Details = {}): SyntaxFault {
    if (this.at >= this.text.length) return this.ended(`the text ends where ${expected} is needed`, details);
    const string = this.peekString();
    const found = string ?? this.peekWord() ?? String.fromCodePoint(this.text.codePointAt(this.at) as number);
    const message = `expected ${expected}, found ${quoted(string?.slice(1, -1) ?? found)}`;
    return new SyntaxFault("syntax-error", this.at, this.at + found.length, message, details);
  }

  /** An error about a text that ends too early, located after its last token. */
  ended(message: string, details: Details = {}): SyntaxFault {
    const end = this.text.trimEnd().length;
    return new SyntaxFault("unexpected-end", end, end, message, details);
  }

  #skipLine(): void {
    const end = this.dialect === "json5" ? /[\n\r\u2028\u2029]/g : /[\n\r]/g;
    end.lastIndex = this.at;
    this.at = end.exec(this.text)?.index ?? this.text.length;
  }

  #skipBlock(): void {
    const end = this.text.indexOf("*/", this.at + 2);
    if (end === -1) {
      throw new SyntaxFault("unexpected-end", this.at, this.at + 2, "this comment is never closed", {
        label: "everything after this belongs to the comment",
        hint: 'end it with "*/"',
      });
    }
    this.at = end + 2;
  }

  #escape(): void {
    const start = this.at;
    const next = this.text[start + 1];
    if (next === undefined) {
      this.at += 1;
      return;
    }
    const digits = next === "u" ? 4 : next === "x" && this.dialect === "json5" ? 2 : 0;
    if (digits > 0) {
      const hex = this.text.slice(start + 2, start + 2 + digits);
      if (!/^[\da-fA-F]+$/.test(hex) || hex.length < digits) {
        this.#badEscape(start, `"\\${next}" needs ${digits} hexadecimal digits`);
      }
    } else if (this.dialect === "json" && !'"\\/bfnrt'.includes(next)) {
      this.#badEscape(start, `${quoted(`\\${next}`)} is not a valid JSON escape`);
    } else if (this.dialect === "json5" && /[1-9]/.test(next)) {
      this.#badEscape(start, `"\\${next}" is not a valid JSON5 escape`);
    }
    const isBreak = next === "\r" && this.text[start + 2] === "\n";
    this.at = start + 2 + digits + (isBreak ? 1 : 0);
  }

  #badEscape(start: number, message: string): never {
    throw new SyntaxFault("syntax-error", start, start + 2, message, {
      label: "a backslash starts an escape",
      hint: 'write a literal backslash as "\\\\"',
    });
  }

  #unclosedString(start: number, end: number): never {
    const isCut = end === this.text.length;
    const message = isCut ? "the text ends inside this string" : "this string is not closed on its line";
    const hint = `close it with a ${this.text[start] === "'" ? "single" : "double"} quote`;
    throw new SyntaxFault(isCut ? "unexpected-end" : "syntax-error", start, end, message, {
      label: "opened here",
      hint,
    });
  }

  #rawControl(character: string): never {
    const written = character === "\t" ? "\\t" : `\\u${codeOf(character)}`;
    throw new SyntaxFault(
      "syntax-error",
      this.at,
      this.at + 1,
      `a string contains a raw ${quoted(character)}`,
      {
        label: "JSON forbids it inside strings",
        hint: `write it as "${written}"`,
      },
    );
  }
}

/** A hint about a text that starts like a number. */
function hintForNumber(text: string): string {
  const digits = text.replace(/^\+|_/g, "").replace(/\.$/, "");
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(digits)) return `write ${digits}`;
  return /^[-+.]?0*\d+(\.\d*)?$/.test(text) ? "write a decimal number such as 12 or 1.5" : "put it in quotes";
}

function codeOf(character: string): string {
  return (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
}

/** Quotes a piece of text for a message: shortened, with unprintable characters named. */
export function quoted(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 40)}...` : text;
  if (short === "\t") return "tab";
  if (short === '"') return "a quote";
  return /^[\p{Cc}\p{Cs}\p{Cf}\p{Z}]$/u.test(short) ? `character U+${codeOf(short)}` : `"${short}"`;
}
