/** What a query consists of: strings, comments, names with their qualifiers, space and anything else. */
const tokens =
  /('(?:[^']|'')*'?)|(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|((?:"(?:[^"]|"")*"|`[^`]*`|[a-z_][\w$]*)(?:\s*\.\s*(?:"(?:[^"]|"")*"|`[^`]*`|[a-z_][\w$]*))*)|(\s+)/gi;

/**
 * A query without the names of the nodes that it reads, so that it is the same text once a node has another name. Spaces
 * and comments make no difference either.
 * @param nodes names of what it reads, each with what stands for it
 */
export function anonymousQuery(sql: string, nodes: ReadonlyMap<string, string>): string {
  const known = new Map([...nodes].map(([name, sign]) => [name.toLowerCase(), sign]));
  const text = sql.replace(tokens, (_, string?: string, comment?: string, name?: string) => {
    if (comment !== undefined) return " ";
    if (string !== undefined) return known.get(string.slice(1, -1).toLowerCase()) ?? string;
    return name === undefined ? " " : anonymousName(name, known);
  });
  return text.replace(/ +/g, " ").trim();
}

/** A name, which may begin with that of a node: `transfers.amount`. */
function anonymousName(name: string, known: ReadonlyMap<string, string>): string {
  const parts = name.match(/"(?:[^"]|"")*"|`[^`]*`|[^.\s]+/g) ?? [];
  const bare = parts.map((part) => (/^["`]/.test(part) ? part.slice(1, -1) : part));
  for (let length = parts.length; length > 0; length -= 1) {
    const sign = known.get(bare.slice(0, length).join(".").toLowerCase());
    if (sign !== undefined) return [sign, ...parts.slice(length)].join(".");
  }
  return parts.join(".");
}
