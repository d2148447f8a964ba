/**
 * Replaces the syntax of other engines with DuckDB's: backticks around names by double quotes, and `* EXCEPT (a)` by
 * `* EXCLUDE(a)`. The text keeps its length, so that positions stay valid. Strings, quoted names and comments are
 * left alone.
 */
export function standardSql(text: string): string {
  return text.replace(tokens, (token) => {
    if (token.startsWith("*")) return exclusion(token);
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

/** Strings, quoted names, comments, names between backticks, and a star with columns that are left out. */
const tokens =
  /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|`[^`"]*`|\*\s*\bexcept\b\s*\(/gi;
