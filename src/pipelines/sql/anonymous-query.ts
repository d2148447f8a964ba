/** What a query consists of: strings, comments, names with their qualifiers, space and anything else. */
const tokens =
  /('(?:[^']|'')*'?)|(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\s+)|((?:"(?:[^"]|"")*"|`[^`]*`|[a-z_][\w$]*)(?:\s*\.\s*(?:"(?:[^"]|"")*"|`[^`]*`|[a-z_][\w$]*))*)|[\s\S]/gi;

/** Characters that would become one word, or another string, if there was no space between them. */
const needsSpace = /[\w$'"`@]/;

/**
 * A query without the names of the nodes that it reads, so that it is the same text once a node has another name. Layout
 * and comments make no difference either.
 * @param nodes names of what it reads, each with what stands for it
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

/** A name, which may begin with that of a node: `transfers.amount`. What is not quoted is the same in any case. */
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
