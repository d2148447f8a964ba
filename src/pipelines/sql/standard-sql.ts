import { outsideQuotes } from "./sql-tokens.js";

/**
 * Replaces the syntax of other engines with DuckDB's: backticks around names by double quotes, `* EXCEPT (a)` by
 * `* EXCLUDE(a)`, and the type `ARRAY<INT>` by `INT[]`. The text keeps its length, so that positions stay valid.
 * Strings, quoted names and comments are left alone.
 */
export function standardSql(text: string): string {
  return text.replace(tokens, (token) => {
    if (token.startsWith("*")) return exclusion(token);
    const [, element] = /^array\s*<\s*(\w+)\s*>$/i.exec(token) ?? [];
    if (element !== undefined) return `${element}[]`.padEnd(token.length);
    return token.startsWith("`") && !token.includes('"') ? `"${token.slice(1, -1)}"` : token;
  });
}

/**
 * EXCLUDE is a letter longer than EXCEPT, so it replaces a space before or after it, in the list, or after the list. A
 * single column does without parentheses. Otherwise, the text stays unchanged.
 */
function exclusion(token: string): string {
  const [, before = "", after = "", list = ""] = /^\*(\s*)except(\s*)\(([\s\S]*)$/i.exec(token) ?? [];
  const standard = standardSql(list);
  if (after !== "") return `*${before}EXCLUDE${after.slice(1)}(${standard}`;
  if (before !== "") return `*${before.slice(1)}EXCLUDE(${standard}`;
  const shorter = standard.replace(/\s/, "");
  if (shorter !== standard) return `*EXCLUDE(${shorter}`;
  const [, name] = /^("[^"]*"|\w+)\)$/.exec(standard) ?? [];
  return name === undefined ? token : `*EXCLUDE ${name}`;
}

/** What is quoted, a star with columns that are left out, and types of lists. */
const tokens = outsideQuotes(/\*\s*\bexcept\b\s*\([^()'/-]*\) ?|\barray\s*<\s*\w+\s*>/);
