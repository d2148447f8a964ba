import { SchemaError } from "./entity-schema.js";

/** Returns a timeseries field's name in the statement; `undefined` if there is no such field. */
export type NameField = (field: string) => string | undefined;

/** Functions whose result depends only on their arguments; graph-node allows the same ones. */
const functions: ReadonlySet<string> = new Set([
  "abs",
  "ceil",
  "ceiling",
  "coalesce",
  "div",
  "floor",
  "gcd",
  "greatest",
  "lcm",
  "least",
  "mod",
  "nullif",
  "power",
  "sign",
]);
const types: ReadonlySet<string> = new Set([
  "bigint",
  "bool",
  "boolean",
  "decimal",
  "int",
  "int2",
  "int4",
  "int8",
  "integer",
  "numeric",
  "smallint",
  "text",
]);
const operators: ReadonlySet<string> = new Set([
  ..."+-*/%^<>=".split(""),
  "<=",
  ">=",
  "<>",
  "!=",
  "and",
  "or",
]);
const signs: ReadonlySet<string> = new Set(["+", "-", "not"]);
const constants: ReadonlySet<string> = new Set(["null", "true", "false"]);
const keywords: ReadonlySet<string> = new Set([
  "and",
  "or",
  "not",
  "is",
  "distinct",
  "from",
  "case",
  "when",
  "then",
  "else",
  "end",
  "cast",
  "as",
  ...constants,
]);

/** Limits: no one writes longer or deeper expressions, and parsing them would exhaust the parser. */
const longest = 10_000;
const deepest = 100;

/**
 * Translates an aggregate's expression to SQL that can do nothing else: only the syntax that graph-node allows, with
 * the fields' names in the statement.
 * @param place where the expression is, for messages
 * @throws SchemaError for an expression that is invalid or not allowed
 */
export function expressionSql(place: string, text: string, nameField: NameField): string {
  return new Expression(place, text, nameField).sql();
}

type Token = { readonly kind: "word" | "quoted" | "number" | "text" | "sign"; readonly text: string };

const tokenForm =
  /\s*(?:([A-Za-z_]\w*)|"((?:[^"]|"")+)"|(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)(?!\w)|('(?:[^']|'')*')|(::|<=|>=|<>|!=|[-+*/%^<>=(),]))/y;

/** A recursive descent parser that validates an expression and prints it token by token. */
class Expression {
  readonly #place: string;
  readonly #nameField: NameField;
  readonly #tokens: readonly Token[];
  readonly #said: string[] = [];
  #at = 0;
  #depth = 0;

  constructor(place: string, text: string, nameField: NameField) {
    this.#place = place;
    this.#nameField = nameField;
    if (text.length > longest) throw this.#error(`is longer than ${longest} characters`);
    this.#tokens = this.#split(text);
  }

  sql(): string {
    this.#expression();
    const rest = this.#tokens[this.#at];
    if (rest) throw this.#unexpected(rest);
    return this.#said.join(" ");
  }

  #split(text: string): readonly Token[] {
    const tokens: Token[] = [];
    tokenForm.lastIndex = 0;
    const end = text.trimEnd().length;
    while (tokenForm.lastIndex < end) {
      const from = tokenForm.lastIndex;
      const found = tokenForm.exec(text);
      if (!found) throw this.#error(`is invalid from ${JSON.stringify(text.slice(from, from + 20))} on`);
      const [, word, quoted, number, string, sign] = found;
      if (word !== undefined) tokens.push({ kind: "word", text: word });
      else if (quoted !== undefined) tokens.push({ kind: "quoted", text: quoted.replaceAll('""', '"') });
      else if (number !== undefined) tokens.push({ kind: "number", text: number });
      else if (string !== undefined) tokens.push({ kind: "text", text: string });
      else tokens.push({ kind: "sign", text: sign ?? "" });
    }
    return tokens;
  }

  #expression(): void {
    this.#depth += 1;
    if (this.#depth > deepest) throw this.#error(`is nested deeper than ${deepest} levels`);
    this.#operand();
    while (this.#take(operators)) this.#operand();
    this.#depth -= 1;
  }

  #operand(): void {
    while (this.#take(signs)) {
      // Takes one sign after another.
    }
    this.#primary();
    for (;;) {
      if (this.#takeWord("is")) this.#test();
      else if (this.#takeSign("::")) this.#type();
      else return;
    }
  }

  #primary(): void {
    const token = this.#tokens[this.#at];
    if (!token) throw this.#error("ends where a value is expected");
    if (token.kind === "number" || token.kind === "text") this.#say(token.text);
    else if (this.#takeSign("(")) this.#closed();
    else if (token.kind === "sign") throw this.#unexpected(token);
    else if (this.#takeWord("case")) this.#case();
    else if (this.#takeWord("cast")) this.#cast();
    else if (!this.#take(constants)) this.#name(token);
  }

  #closed(): void {
    this.#expression();
    this.#needSign(")");
  }

  #name(token: Token): void {
    const next = this.#tokens[this.#at + 1];
    if (next?.kind === "sign" && next.text === "(") {
      this.#call(token);
      return;
    }
    if (token.kind === "word" && keywords.has(token.text.toLowerCase())) throw this.#unexpected(token);
    const name = this.#nameField(token.text);
    if (name === undefined)
      throw this.#error(`refers to ${JSON.stringify(token.text)}, which is not a field of the source`);
    this.#say(name);
  }

  #call({ text }: Token): void {
    const name = text.toLowerCase();
    if (!functions.has(name)) {
      throw this.#error(`calls ${JSON.stringify(text)}, but may call only ${[...functions].join(", ")}`);
    }
    this.#say(name);
    this.#needSign("(");
    do this.#expression();
    while (this.#takeSign(","));
    this.#needSign(")");
  }

  #case(): void {
    if (!this.#isWord("when")) this.#expression();
    this.#needWord("when");
    do {
      this.#expression();
      this.#needWord("then");
      this.#expression();
    } while (this.#takeWord("when"));
    if (this.#takeWord("else")) this.#expression();
    this.#needWord("end");
  }

  #cast(): void {
    this.#needSign("(");
    this.#expression();
    this.#needWord("as");
    this.#type();
    this.#needSign(")");
  }

  #type(): void {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "word" || !types.has(token.text.toLowerCase())) {
      throw this.#error(
        `casts to ${token ? JSON.stringify(token.text) : "nothing"}, but may cast only to ${[...types].join(", ")}`,
      );
    }
    this.#say(token.text.toLowerCase());
  }

  #test(): void {
    this.#takeWord("not");
    if (this.#takeWord("distinct")) {
      this.#needWord("from");
      this.#operand();
    } else if (!this.#take(constants)) throw this.#unexpected(this.#tokens[this.#at]);
  }

  #take(allowed: ReadonlySet<string>): boolean {
    const token = this.#tokens[this.#at];
    const text = token?.text.toLowerCase() ?? "";
    if (!token || (token.kind !== "word" && token.kind !== "sign") || !allowed.has(text)) return false;
    this.#say(text);
    return true;
  }

  #isWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === "word" && token.text.toLowerCase() === word;
  }

  #takeWord(word: string): boolean {
    if (!this.#isWord(word)) return false;
    this.#say(word);
    return true;
  }

  #takeSign(sign: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "sign" || token.text !== sign) return false;
    this.#say(sign);
    return true;
  }

  #needWord(word: string): void {
    if (!this.#takeWord(word)) throw this.#error(`is missing ${word.toUpperCase()}`);
  }

  #needSign(sign: string): void {
    if (!this.#takeSign(sign)) throw this.#error(`is missing ${JSON.stringify(sign)}`);
  }

  #say(text: string): void {
    this.#said.push(text);
    this.#at += 1;
  }

  #unexpected(token: Token | undefined): SchemaError {
    return this.#error(token ? `has an unexpected ${JSON.stringify(token.text)}` : "ends too early");
  }

  #error(message: string): SchemaError {
    return new SchemaError(`the expression of ${this.#place} ${message}`);
  }
}
