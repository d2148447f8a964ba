/**
 * Replaces backticks around names by the double quotes of standard SQL. The text keeps its length, so that places in it
 * stay the same. Strings, quoted names and comments are left alone.
 */
export function standardQuotes(text: string): string {
  return text.replace(tokens, (token) =>
    token.startsWith("`") && token.endsWith("`") && token.length > 1 ? `"${token.slice(1, -1)}"` : token,
  );
}

/** What a backtick may be a part of: strings, quoted names, comments; and what stands between backticks. */
const tokens = /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|`[^`"]*`/g;
