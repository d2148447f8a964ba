import { isUnexpected } from "../../../base/text/message-of.js";
import { suggest } from "../../../base/text/suggest.js";
import { QueryError } from "../../sql/engine.js";
import { sqlTokens } from "../../sql/sql-tokens.js";
import { queryWords } from "./query-words.js";

/**
 * What DuckDB says, in our words.
 * @param query the place in which it points to or speaks of
 * @param offset the place, if it is known
 */
export function queryError(error: unknown, query: string, offset?: number): unknown {
  if (!(error instanceof Error) || error instanceof QueryError || isUnexpected(error)) return error;
  const [first = ""] = error.message.split("\n");
  if (/^INTERRUPT/.test(first)) return new QueryError("the query takes too long", { isLate: true });
  const drawing = /\nLINE (\d+): (.*)\n(\s*)\^/.exec(error.message);
  const fact = first.replace(/^[A-Z][\w -]* Error: /, "").replace(/!$/, "");
  const { message, hint } = queryWords(fact, listedNames(error.message, fact));
  return new QueryError(message, {
    offset: offset ?? (drawing && drawnOffset(drawing, query)) ?? mentionedOffset(fact, query),
    hint,
  });
}

/**
 * The names that a message offers instead, if they resemble the unknown name, since DuckDB also lists far-fetched ones;
 * or the forms of a function.
 */
function listedNames(message: string, fact: string): readonly string[] {
  const forms = [...message.matchAll(/^\t(\S.*->.*)$/gm)].map(([, form = ""]) => form);
  if (forms.length > 0) return forms;
  const [, listed = ""] = /\n(?:Candidate [\w ]+|Did you mean):?(.*)/.exec(message) ?? [];
  const candidates = [...listed.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name);
  const names = [...fact.matchAll(/["']([^"']+)["']|with name (\S+)/g)];
  const [, quotedName, bareName] = names.at(-1) ?? [];
  const wanted = quotedName ?? bareName;
  return wanted === undefined ? [] : suggest(wanted, candidates);
}

/** The place below a line that DuckDB draws; `undefined` if it shows only a part of the line. */
function drawnOffset(
  [, line = "1", text = "", indent = ""]: RegExpExecArray,
  query: string,
): number | undefined {
  const before = query.split("\n").slice(0, Number(line) - 2);
  const start = before.reduce((sum, { length }) => sum + length + 1, 0);
  const column = indent.length - `LINE ${line}: `.length;
  return query.startsWith(text.slice(0, column), start) ? start + column : undefined;
}

/** Where a query has the text or the name that a message quotes; `undefined` if it quotes none of the query. */
function mentionedOffset(fact: string, query: string): number | undefined {
  const quotedParts = [...fact.matchAll(/"([^"]+)"|'([^']+)'|: (\S.*)$/g)].map(
    (found) => found.slice(1).find(Boolean) ?? "",
  );
  const tokens = [
    ...query.matchAll(new RegExp(`(${sqlTokens.string})|${sqlTokens.comment}|(${sqlTokens.name}|\\w+)`, "g")),
  ];
  for (const part of quotedParts)
    for (const { 0: token, 1: text, 2: name, index } of tokens) {
      const isText = text !== undefined && token.slice(1, -1).replaceAll("''", "'").includes(part);
      if (isText || name?.replaceAll('"', "") === part) return index;
    }
  return undefined;
}
