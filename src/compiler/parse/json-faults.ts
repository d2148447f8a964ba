import type { Details } from "../diagnostics/diagnostic.js";
import type { Location } from "../source/source.js";
import type { JsonScanner } from "./json-scanner.js";

// Details about frequent slips in JSON, in addition to "expected this, found that".

/** An open list or object. */
export interface Opened {
  readonly what: "list" | "object";
  readonly close: "]" | "}";
  /** Its opening bracket. */
  readonly at: Location;
}

/** The details of a missing comma or closing bracket; `before` is the end of the preceding value. */
export function notSeparated(scan: JsonScanner, { what, close, at }: Opened, before: Location): Details {
  if (isAt(scan, /[\]}]/)) {
    return {
      label: `closes a bracket outside the ${what}`,
      related: [{ at, text: `the ${what} begins here` }],
      hint: `close the ${what} with "${close}" first`,
    };
  }
  if (isAt(scan, /"/) && !scan.peekString()) {
    return { label: "this quote does not close a string", hint: "put a quote before the value, too" };
  }
  if (!(scan.peekString() ?? scan.peekWord()) && !isAt(scan, /[[{]/)) return {};
  return {
    label: "the next entry",
    related: [{ at: before, text: "a comma is missing here" }],
    hint: 'put a "," between them',
  };
}

/** The details of a text that ends inside a list or object; `closers` are the missing brackets. */
export function notClosed({ what, at }: Opened, closers: string): Details {
  const isCut = closers.length > 4;
  return {
    label: isCut ? `${closers.length} brackets are still open` : `"${closers}" is missing here`,
    related: [{ at, text: `the ${what} begins here` }],
    hint: isCut ? "use the complete text: this one is cut off" : `close the open brackets with "${closers}"`,
  };
}

/** The details of text after the document. */
export function notTheEnd(scan: JsonScanner): Details {
  return {
    label: "the document ends before this",
    hint: isAt(scan, /[\]}]/) ? "remove it" : "remove everything from here on",
  };
}

/** The details of a text that is not a value. */
export function notAValue(scan: JsonScanner): Details {
  const typographic = typographicQuotes(scan);
  if (typographic) return typographic;
  if (isAt(scan, /,/)) return strayComma(scan);
  const word = scan.peekWord();
  if (word && /^(true|false|null)$/i.test(word)) {
    return { label: "true, false and null are lower case", hint: `write ${word.toLowerCase()}` };
  }
  if (!word && !isAt(scan, /'/)) return {};
  const isFirst = scan.text.slice(0, scan.at).trim() === "";
  if (isFirst && /^\w+:\s/.test(scan.text.slice(scan.at, scan.at + 100)))
    return { label: "a YAML document begins like this", hint: "give the file a name that ends in .yaml" };
  const hint = scan.dialect === "json" ? "put strings in double quotes" : "put strings in quotes";
  return { label: "not in quotes", hint };
}

/** `"a": ,` lacks a value, and `[1,, 2]` has an extra comma. */
function strayComma({ text, at }: JsonScanner): Details {
  return text.slice(0, at).trimEnd().endsWith(":")
    ? { label: "no value before this comma", hint: "write a value before it" }
    : { label: "no value before this comma", hint: "remove it" };
}

/** The details of a text that is not a key. */
export function notAKey(scan: JsonScanner): Details {
  const typographic = typographicQuotes(scan);
  if (typographic) return typographic;
  if (isAt(scan, /,/)) return strayComma(scan);
  if (!scan.peekWord() && !isAt(scan, /'/)) return {};
  return { label: "only .json5 allows such a key", hint: "put keys in double quotes" };
}

/** Quotes as in word processors and on web pages. */
function typographicQuotes(scan: JsonScanner): Details | undefined {
  if (!isAt(scan, /[\u2018-\u201f\u00ab\u00bb]/)) return undefined;
  const near = scan.text.slice(scan.at + 1, scan.at + 62);
  const text = /^([^\u2018-\u201f\u00ab\u00bb"\\\p{Cc}]+)[\u2018-\u201f\u00ab\u00bb]/u.exec(near)?.[1];
  const example = text === undefined ? "" : `: "${text}"`;
  return { label: "a typographic quote", hint: `use straight quotes everywhere${example}` };
}

function isAt(scan: JsonScanner, pattern: RegExp): boolean {
  return pattern.test(scan.text[scan.at] ?? "");
}
