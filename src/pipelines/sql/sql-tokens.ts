/** What a query quotes, as sources of patterns. An unfinished one reaches to the end of the text. */
export const sqlTokens = {
  string: /'(?:[^']|'')*'?/.source,
  comment: /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/.source,
  /** A name in double quotes, or between backticks as other engines have it. */
  name: /"(?:[^"]|"")*"?|`[^`]*`/.source,
} as const;

/** A pattern for what a query quotes and, outside of quotes, for something else. Case does not matter. */
export function outsideQuotes(other: RegExp): RegExp {
  const { string, comment, name } = sqlTokens;
  return new RegExp(`${string}|${comment}|${name}|${other.source}`, "gi");
}
