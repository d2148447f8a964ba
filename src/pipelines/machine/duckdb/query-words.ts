import { ownWords } from "../../sql/sql-function.js";
import { nameWords } from "./name-words.js";
import { valueWords } from "./value-words.js";

/** What is wrong with a query, and what to do, in the words of people who write definitions. */
export interface QueryWords {
  readonly message: string;
  readonly hint?: string | undefined;
}

/**
 * Says what DuckDB says in words that name no internals.
 * @param text the first line of DuckDB's message, without the kind of the error
 * @param listed what DuckDB lists below it: names that it has instead
 */
export function queryWords(text: string, listed: readonly string[] = []): QueryWords {
  const own = text.indexOf(ownWords);
  if (own !== -1) return { message: text.slice(own + ownWords.length) };
  for (const [words, message, hint] of [...nameWords, ...valueWords]) {
    const found = words.exec(text);
    if (!found) continue;
    const groups = found.slice(1);
    return {
      message: typeof message === "string" ? message : message(...groups),
      hint: typeof hint === "function" ? hint(...groups, ...listed) : hint,
    };
  }
  return { message: `the SQL engine refuses this: ${text.replace(/[.!]$/, "")}` };
}
