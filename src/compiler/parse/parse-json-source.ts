import { quote } from "../../base/text/quote.js";
import type { Report } from "../diagnostics/report.js";
import { locatedString } from "../source/located-string.js";
import { childPointer, type LocatedString, type Location, type Source, type Span } from "../source/source.js";
import type { ArrayNode, Member, ObjectNode, TreeNode } from "../source/tree.js";
import { decodeEscapes, mapEscapes } from "./json-escapes.js";
import { notAKey, notAValue, notClosed, notSeparated, notTheEnd, type Opened } from "./json-faults.js";
import { type JsonDialect, JsonScanner, SyntaxFault } from "./json-scanner.js";
import { maxDepth, tooDeep } from "./limits.js";

/**
 * Parses JSON or JSON5 to a tree.
 * @returns `undefined` after a reported error
 */
export function parseJsonSource(source: Source, dialect: JsonDialect, report: Report): TreeNode | undefined {
  const reader = new JsonReader(source, dialect, report);
  try {
    const tree = reader.document();
    return reader.sound ? tree : undefined;
  } catch (fault) {
    if (!(fault instanceof SyntaxFault)) throw fault;
    // The pointer of a value beyond the depth limit would dwarf the message.
    const pointer = fault.code === "too-deep" ? "" : reader.pointer;
    const at = { source, pointer, start: fault.start, end: fault.end };
    report.error(fault.code, at, fault.message, fault.details);
    return undefined;
  }
}

class JsonReader {
  readonly #source: Source;
  readonly #scan: JsonScanner;
  readonly #report: Report;
  /** The closing brackets of the open objects and lists, the innermost last. */
  readonly #closers: string[] = [];
  /** False once an error that does not end parsing has occurred. */
  sound = true;
  /** JSON pointer of the current value. */
  pointer = "";

  constructor(source: Source, dialect: JsonDialect, report: Report) {
    this.#source = source;
    this.#scan = new JsonScanner(source, dialect);
    this.#report = report;
  }

  document(): TreeNode {
    const tree = this.#value("");
    if (!this.#scan.skipBlank()) return tree;
    throw this.#scan.unexpected("the end of the file", notTheEnd(this.#scan));
  }

  #value(pointer: string): TreeNode {
    this.pointer = pointer;
    const scan = this.#scan;
    if (!scan.skipBlank()) throw scan.unexpected("a value");
    const next = scan.text[scan.at] as string;
    if (next === "{") return this.#nested("}", () => this.#object(pointer));
    if (next === "[") return this.#nested("]", () => this.#array(pointer));
    if (next === '"' || (next === "'" && scan.dialect === "json5")) {
      return { kind: "string", ...this.#string(scan.string(), pointer) };
    }
    return this.#literal(next, pointer);
  }

  #literal(next: string, pointer: string): TreeNode {
    const scan = this.#scan;
    const start = scan.at;
    const word = scan.peekWord();
    if (word === "true" || word === "false" || word === "null") {
      scan.at += word.length;
      const at = this.#location({ start, end: scan.at }, pointer);
      return word === "null" ? { kind: "null", at } : { kind: "boolean", value: word === "true", at };
    }
    const isNumber =
      /[-+.\d]/.test(next) || (scan.dialect === "json5" && /^(Infinity|NaN)$/.test(word ?? ""));
    if (isNumber) {
      const span = scan.number();
      return {
        kind: "number",
        value: numberOf(scan.text.slice(span.start, span.end)),
        at: this.#location(span, pointer),
      };
    }
    throw scan.unexpected("a value", notAValue(scan));
  }

  #object(pointer: string): ObjectNode {
    const scan = this.#scan;
    const start = scan.at++;
    const at = this.#location({ start, end: scan.at }, pointer);
    const opened: Opened = { what: "object", close: "}", at };
    const members: Member[] = [];
    const seen = new Map<string, Location>();
    for (;;) {
      this.pointer = pointer;
      this.#inside(opened);
      if (scan.take("}")) break;
      const key = this.#key(pointer);
      const first = seen.get(key.value);
      this.pointer = key.at.pointer;
      if (!scan.skipBlank() || !scan.take(":")) {
        throw scan.unexpected('":" after the key', {
          related: [{ at: key.at, text: "the key" }],
          hint: 'write ":" and a value after it',
        });
      }
      const value = this.#value(key.at.pointer);
      if (first) this.#duplicate(key, first);
      else seen.set(key.value, key.at);
      members.push({ key, value });
      if (!this.#another(opened)) break;
    }
    return { kind: "object", at: this.#location({ start, end: scan.at }, pointer), members };
  }

  #array(pointer: string): ArrayNode {
    const scan = this.#scan;
    const start = scan.at++;
    const at = this.#location({ start, end: scan.at }, pointer);
    const opened: Opened = { what: "list", close: "]", at };
    const items: TreeNode[] = [];
    for (;;) {
      this.pointer = pointer;
      this.#inside(opened);
      if (scan.take("]")) break;
      items.push(this.#value(childPointer(pointer, items.length)));
      if (!this.#another(opened)) break;
    }
    return { kind: "array", at: this.#location({ start, end: scan.at }, pointer), items };
  }

  #key(pointer: string): LocatedString {
    const scan = this.#scan;
    const quote = scan.text[scan.at];
    if (quote === '"' || (quote === "'" && scan.dialect === "json5")) {
      const span = scan.string();
      return this.#string(span, childPointer(pointer, this.#decode(span)));
    }
    const bare = scan.dialect === "json5" ? scan.identifier() : undefined;
    if (!bare) throw scan.unexpected('a key or "}"', notAKey(scan));
    const value = decodeEscapes(scan.text.slice(bare.start, bare.end));
    return this.#located(value, bare, bare, childPointer(pointer, value));
  }

  #string(span: Span, pointer: string): LocatedString {
    return this.#located(this.#decode(span), span, { start: span.start + 1, end: span.end - 1 }, pointer);
  }

  #decode(span: Span): string {
    return decodeEscapes(this.#scan.text.slice(span.start + 1, span.end - 1));
  }

  #located(value: string, span: Span, inner: Span, pointer: string): LocatedString {
    const { text } = this.#scan;
    const isVerbatim = value.length === inner.end - inner.start;
    const map = isVerbatim ? inner.start : () => mapEscapes(text, inner.start, inner.end);
    return locatedString(value, this.#location(span, pointer), map);
  }

  /** After a value: whether another one follows (true) or the collection ends (false). */
  #another(opened: Opened): boolean {
    const { pointer } = opened.at;
    this.pointer = pointer;
    const end = this.#scan.at;
    this.#inside(opened);
    if (this.#scan.take(opened.close)) return false;
    if (this.#scan.take(",")) return true;
    const before = this.#location({ start: end, end }, pointer);
    throw this.#scan.unexpected(`"," or "${opened.close}"`, notSeparated(this.#scan, opened, before));
  }

  #inside(opened: Opened): void {
    if (this.#scan.skipBlank()) return;
    const closers = this.#closers.toReversed().join("");
    const message = `the text ends inside ${opened.what === "list" ? "a list" : "an object"}`;
    throw this.#scan.ended(message, notClosed(opened, closers));
  }

  #nested<T>(closer: string, read: () => T): T {
    if (this.#closers.length >= maxDepth) {
      const at = this.#scan.at;
      throw new SyntaxFault("too-deep", at, at + 1, ...tooDeep);
    }
    this.#closers.push(closer);
    const value = read();
    this.#closers.pop();
    return value;
  }

  #duplicate(key: LocatedString, first: Location): void {
    this.sound = false;
    this.#report.error(
      "duplicate-key",
      key.at,
      `the key ${quote(key.value)} is already used in this object`,
      {
        label: "only one of the two can apply",
        related: [{ at: first, text: "first used here" }],
        hint: "remove one of the two",
      },
    );
  }

  #location(span: Span, pointer: string): Location {
    return { source: this.#source, pointer, start: span.start, end: span.end };
  }
}

function numberOf(text: string): number {
  const signed = /^([-+])(.*)$/.exec(text);
  const value = Number(signed ? signed[2] : text);
  return signed?.[1] === "-" && value !== 0 ? -value : value;
}
