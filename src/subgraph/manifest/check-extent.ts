import { CST, Lexer, Parser } from "yaml";
import type { ManifestValue } from "./manifest.js";

const mostCharacters = 4_000_000;
/** Maximum number of tokens, and of values: ten times the largest known manifests. */
const mostParts = 1_000_000;
const deepest = 100;

/** Tags of YAML's core schema, which do not change the value. */
const plainTags: ReadonlySet<string> = new Set(
  ["", "str", "int", "float", "bool", "null", "map", "seq"].map((name) => (name === "" ? "!" : `!!${name}`)),
);

/**
 * Checks a text against the limits for manifests before it is parsed: length, number of tokens, depth and
 * tags. Looks only at tokens, in linear time.
 * @returns the violated limit; `undefined` if the text may be parsed
 */
export function excessOfText(text: string): string | undefined {
  if (text.length > mostCharacters)
    return `it has ${amount(text.length)} characters, but a manifest may have at most ${amount(mostCharacters)}`;
  const tokens: string[] = [];
  for (const token of new Lexer().lex(text)) {
    // Check before parsing, which takes several times as long.
    if (tokens.length === mostParts) return `it has more than ${amount(mostParts)} parts`;
    tokens.push(token);
  }
  return excessOfTokens(tokens);
}

function excessOfTokens(tokens: readonly string[]): string | undefined {
  const parser = new Parser();
  let isText = false;
  for (const token of tokens) {
    const type = isText ? "scalar" : CST.tokenType(token);
    if (type === "tag" && !plainTags.has(token)) return `it uses the tag ${token}, which is not allowed`;
    isText = !isText && token === CST.SCALAR;
    // Parses the lexer's tokens only for their depth; the nodes are discarded.
    for (const _ of parser.next(token));
    if (parser.stack.length > deepest) return "it is nested too deeply";
  }
  return undefined;
}

/**
 * Checks a parsed manifest against the limits that aliases can exceed: they can make it larger than its text,
 * or endless.
 * @returns the violated limit; `undefined` if the manifest may be traversed
 */
export function excessOfValue(root: ManifestValue): string | undefined {
  const open: { readonly value: ManifestValue; readonly depth: number }[] = [{ value: root, depth: 0 }];
  let values = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    values += 1;
    if (values > mostParts) return `its aliases expand to more than ${amount(mostParts)} values`;
    // The depth of the text is limited, so only aliases can lead this deep.
    if (next.depth > deepest) return "its aliases contain themselves";
    for (const value of partsOf(next.value)) open.push({ value, depth: next.depth + 1 });
  }
  return undefined;
}

function partsOf(value: ManifestValue): readonly ManifestValue[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).map((part) => part ?? null);
}

function amount(number: number): string {
  return number.toLocaleString("en");
}
