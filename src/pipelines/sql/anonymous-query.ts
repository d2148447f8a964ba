import { sqlTokens } from "./sql-tokens.js";

const { string: aString, comment } = sqlTokens;
const part = `(?:${sqlTokens.name}|[a-z_][\\w$]*)`;
/** The tokens of a query: strings, comments and space, qualified names, and anything else. */
const tokens = new RegExp(`(${aString})|(${comment}|\\s+)|(${part}(?:\\s*\\.\\s*${part})*)|[^]`, "gi");

/** Characters that would merge into one word, or another string, without a space between them. */
const needsSpace = /[\w$'"`@]/;

/**
 * A query without the names of the nodes that it reads, so that renaming a node does not change the text. Layout and
 * comments make no difference either.
 * @param nodes the names of the nodes, each with its replacement
 */
export function anonymousQuery(sql: string, nodes: ReadonlyMap<string, string>): string {
  const known = new Map([...nodes].map(([name, sign]) => [name.toLowerCase(), sign]));
  let text = "";
  let isApart = false;
  for (const [whole, string, space, name] of sql.matchAll(tokens)) {
    if (space !== undefined) {
      isApart = true;
      continue;
    }
    const token =
      string !== undefined
        ? (known.get(string.slice(1, -1).toLowerCase()) ?? string)
        : name === undefined
          ? whole
          : anonymousName(name, known);
    const isSpaced = isApart && needsSpace.test(text.at(-1) ?? "") && needsSpace.test(token.charAt(0));
    text += isSpaced ? ` ${token}` : token;
    isApart = false;
  }
  return text.replace(/;+$/, "");
}

/** Replaces a name, which may begin with a node's name: `transfers.amount`. Unquoted names are case-insensitive. */
function anonymousName(name: string, known: ReadonlyMap<string, string>): string {
  const parts = name.match(/"(?:[^"]|"")*"|`[^`]*`|[^.\s]+/g) ?? [];
  const bare = parts.map((part) => (/^["`]/.test(part) ? part.slice(1, -1) : part));
  const plain = parts.map((part) => (/^["`]/.test(part) ? part : part.toLowerCase()));
  for (let length = parts.length; length > 0; length -= 1) {
    const sign = known.get(bare.slice(0, length).join(".").toLowerCase());
    if (sign !== undefined) return [sign, ...plain.slice(length)].join(".");
  }
  return plain.join(".");
}
