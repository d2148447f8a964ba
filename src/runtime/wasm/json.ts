import { DeterministicError } from "../errors.js";
import { deeper } from "./depth.js";

/** A JSON value whose numbers keep their source text. */
export type JsonTree =
  | { readonly kind: "null" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "number" | "string"; readonly value: string }
  | { readonly kind: "array"; readonly value: readonly JsonTree[] }
  /** Sorted by the bytes of the keys; the last of duplicate keys counts. */
  | { readonly kind: "object"; readonly value: readonly (readonly [string, JsonTree])[] };

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const words = {
  null: { kind: "null" },
  true: { kind: "bool", value: true },
  false: { kind: "bool", value: false },
} as const;

/** @throws DeterministicError when the text is not JSON, or is nested too deeply */
export function parseJsonTree(text: string): JsonTree {
  const reader = new Reader(text);
  // graph-node's parser itself uses one level of the allowed depth.
  const value = reader.value(1);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonTree {
    this.#match(space);
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(deeper(depth));
    if (first === "[") return this.#array(deeper(depth));
    if (first === '"') return { kind: "string", value: this.#string() };
    const literal = this.#match(number);
    if (literal !== undefined) return { kind: "number", value: literal };
    for (const [word, value] of Object.entries(words)) if (this.#skips(word)) return value;
    throw this.#unexpected();
  }

  end(): void {
    this.#match(space);
    if (this.#at < this.#text.length) throw this.#unexpected();
  }

  #array(depth: number): JsonTree {
    const value: JsonTree[] = [];
    this.#list("]", () => value.push(this.value(depth)));
    return { kind: "array", value };
  }

  #object(depth: number): JsonTree {
    const entries = new Map<string, JsonTree>();
    this.#list("}", () => {
      this.#match(space);
      const key = this.#string();
      this.#match(space);
      if (!this.#skips(":")) throw this.#unexpected();
      entries.set(key, this.value(depth));
    });
    return {
      kind: "object",
      value: [...entries].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    };
  }

  /** Parses comma-separated items between brackets. */
  #list(close: string, item: () => void): void {
    this.#at += 1;
    this.#match(space);
    if (this.#skips(close)) return;
    do {
      item();
      this.#match(space);
    } while (this.#skips(","));
    if (!this.#skips(close)) throw this.#unexpected();
  }

  #string(): string {
    const literal = this.#match(string);
    if (literal === undefined) throw this.#unexpected();
    const value: string = JSON.parse(literal);
    if (!value.isWellFormed()) throw new DeterministicError(`lone surrogate in the JSON string ${literal}`);
    return value;
  }

  #skips(word: string): boolean {
    const found = this.#text.startsWith(word, this.#at);
    if (found) this.#at += word.length;
    return found;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #unexpected(): DeterministicError {
    const found = this.#text[this.#at];
    const what =
      found === undefined ? "unexpected end" : `unexpected ${JSON.stringify(found)} at offset ${this.#at}`;
    return new DeterministicError(`the JSON is invalid: ${what}`);
  }
}
