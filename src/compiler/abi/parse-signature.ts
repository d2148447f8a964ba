import { canonicalType, type Parameter, parseSolidityType, type SolidityType } from "./solidity-type.js";

/** A parsed signature of an event or a function, in any of the accepted spellings. */
export interface WrittenSignature {
  /** The keyword `event` or `function`, if written. */
  readonly keyword?: "event" | "function";
  readonly name: string;
  /** Absent for a bare name. */
  readonly parameters?: readonly WrittenParameter[];
}

export interface WrittenParameter {
  readonly type: SolidityType;
  readonly indexed: boolean;
}

/** A syntax error in a signature: what was expected, and where. */
export interface SignatureSyntaxError {
  readonly offset: number;
  readonly expected: string;
}

class Unexpected extends Error {
  readonly offset: number;
  readonly expected: string;
  constructor(offset: number, expected: string) {
    super(expected);
    this.offset = offset;
    this.expected = expected;
  }
}

const deepestTuple = 64;

/** Words between a type and its name that do not belong to the type. */
const locations = new Set(["memory", "calldata", "storage", "payable"]);

/**
 * Parses `Transfer(address,uint256)`, `Transfer(indexed address,uint256)`, the Solidity form with names and a
 * keyword, tuples as `(a,b)` or `tuple(a x, b y)`, and a bare name.
 */
export function parseSignature(text: string): WrittenSignature | SignatureSyntaxError {
  try {
    return new SignatureReader(text).signature();
  } catch (error) {
    if (error instanceof Unexpected) return { offset: error.offset, expected: error.expected };
    throw error;
  }
}

/** The canonical text, for comparisons and messages. */
export function writtenSignatureText(signature: WrittenSignature): string {
  if (!signature.parameters) return signature.name;
  return `${signature.name}(${signature.parameters.map((p) => canonicalType(p.type)).join(",")})`;
}

class SignatureReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  signature(): WrittenSignature {
    let name = this.#word("the name of an event or function");
    let keyword: "event" | "function" | undefined;
    if ((name === "event" || name === "function") && this.#peek() !== "(" && this.#peek() !== "") {
      keyword = name;
      name = this.#word("a name");
    }
    const parameters = this.#peek() === "(" ? this.#parameters(0) : undefined;
    this.#trailer(parameters !== undefined);
    return { ...(keyword && { keyword }), name, ...(parameters && { parameters }) };
  }

  /** Skips the words that can follow in Solidity: `anonymous`, `external view returns (uint256)`, a semicolon. */
  #trailer(hasParameters: boolean): void {
    while (hasParameters && /^[a-z]/.test(this.#peek())) {
      if (this.#word("a modifier") === "returns") this.#parameters(0);
    }
    if (this.#peek() === ";") this.#at += 1;
    if (this.#peek() !== "") throw new Unexpected(this.#at, hasParameters ? "nothing more" : '"("');
  }

  #parameters(depth: number): WrittenParameter[] {
    if (depth > deepestTuple) throw new Unexpected(this.#at, `at most ${deepestTuple} nested structs`);
    this.#expect("(");
    const parameters: WrittenParameter[] = [];
    if (this.#peek() === ")") {
      this.#at += 1;
      return parameters;
    }
    for (;;) {
      parameters.push(this.#parameter(depth));
      if (this.#peek() === ",") this.#at += 1;
      else break;
    }
    this.#expect(")");
    return parameters;
  }

  #parameter(depth: number): WrittenParameter {
    let indexed = false;
    if (/^indexed\b/.test(this.#rest())) {
      this.#word("indexed");
      indexed = true;
    }
    const type = this.#type(depth);
    while (/^[A-Za-z_$]/.test(this.#peek())) {
      const word = this.#word("a name");
      if (word === "indexed") indexed = true;
      else if (!locations.has(word)) break;
    }
    return { type, indexed };
  }

  #type(depth: number): SolidityType {
    let base: string;
    let components: Parameter[] = [];
    if (this.#peek() === "(") {
      base = "tuple";
    } else {
      base = this.#word("a type");
    }
    if (base === "tuple") {
      components = this.#parameters(depth + 1).map(({ type }) => ({ name: "", type, indexed: false }));
    }
    let suffix = "";
    for (;;) {
      const array = /^\s*\[\s*(\d*)\s*\]/.exec(this.#rest());
      if (!array) break;
      suffix += `[${array[1]}]`;
      this.#at += array[0].length;
    }
    return parseSolidityType(base + suffix, components);
  }

  #word(expected: string): string {
    this.#skip();
    const word = /^[A-Za-z_$][\w$]*/.exec(this.#rest());
    if (!word) throw new Unexpected(this.#at, expected);
    this.#at += word[0].length;
    return word[0];
  }

  #expect(character: string): void {
    if (this.#peek() !== character) throw new Unexpected(this.#at, `"${character}"`);
    this.#at += 1;
  }

  #peek(): string {
    this.#skip();
    return this.#text.charAt(this.#at);
  }

  #rest(): string {
    return this.#text.slice(this.#at);
  }

  #skip(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }
}
