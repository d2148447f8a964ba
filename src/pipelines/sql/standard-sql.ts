/**
 * Replaces the syntax of other engines with DuckDB's: backticks around names by double quotes, `* EXCEPT (a)` by
 * `* EXCLUDE(a)`, and the type `ARRAY<INT>` by `INT[]`. The text keeps its length, so that positions stay valid. Strings, quoted names and comments are
 * left alone.
 */
export function standardSql(text: string): string {
  return text.replace(tokens, (token) => {
    if (token.startsWith("*")) return exclusion(token);
    const [, element] = /^array\s*<\s*(\w+)\s*>$/i.exec(token) ?? [];
    if (element !== undefined) return `${element}[]`.padEnd(token.length);
    return token.startsWith("`") && token.endsWith("`") && token.length > 1
      ? `"${token.slice(1, -1)}"`
      : token;
  });
}

/**
 * EXCLUDE is a letter longer than EXCEPT, so it replaces an adjacent space. Without a space, the text stays
 * unchanged.
 */
function exclusion(token: string): string {
  const [, before = "", after = ""] = /^\*(\s*)except(\s*)\($/i.exec(token) ?? [];
  if (after !== "") return `*${before}EXCLUDE${after.slice(1)}(`;
  return before === "" ? token : `*${before.slice(1)}EXCLUDE(`;
}

/** Strings, quoted names, comments, names between backticks, a star with columns that are left out, and types of lists. */
const tokens =
  /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|`[^`"]*`|\*\s*\bexcept\b\s*\(|\barray\s*<\s*\w+\s*>/gi;
