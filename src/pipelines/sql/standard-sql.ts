/**
 * Replaces what other engines write by what DuckDB reads: backticks around names by double quotes, and `* EXCEPT (a)` by
 * `* EXCLUDE(a)`. The text keeps its length, so that places in it stay the same. Strings, quoted names and comments are
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

/** EXCLUDE is a letter longer than EXCEPT, so a space beside it goes. Without one, the text stays unchanged. */
function exclusion(token: string): string {
  const [, before = "", after = ""] = /^\*(\s*)except(\s*)\($/i.exec(token) ?? [];
  if (after !== "") return `*${before}EXCLUDE${after.slice(1)}(`;
  return before === "" ? token : `*${before.slice(1)}EXCLUDE(`;
}

/** Strings, quoted names, comments, names between backticks, and a star with columns that are left out. */
const tokens =
  /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|`[^`"]*`|\*\s*\bexcept\b\s*\(/gi;
