import { isUnexpected } from "../../../base/text/message-of.js";
import { suggest } from "../../../base/text/suggest.js";
import { QueryError } from "../../sql/engine.js";

/** DuckDB's message without its drawing of the query, and where in the query it points. */
export function queryError(error: unknown, query: string): unknown {
  if (!(error instanceof Error) || isUnexpected(error)) return error;
  const [first = ""] = error.message.split("\n");
  if (/^INTERRUPT/.test(first)) return new QueryError("the query takes too long", { isLate: true });
  const drawing = /\nLINE (\d+): (.*)\n(\s*)\^/.exec(error.message);
  const fact = first
    .replace(/^[A-Z][\w ]* Error: /, "")
    .replace(/!$/, "")
    .replace(/^(?:\w+ )?Function with name (\S+) does not exist$/i, "there is no function $1");
  return new QueryError(fact, {
    offset: drawing ? drawnOffset(drawing, query) : undefined,
    near: nearName(error.message),
  });
}

/** What DuckDB's parser says about its own inside, and what it means. */
const insides: readonly (readonly [words: RegExp, meaning: string])[] = [
  [/^Only SELECT statements can be serialized/, "the text is not a SELECT"],
  [/^unicode_to_utf8 NOT IMPLEMENTED/, "DuckDB has no texts with U& before them"],
];

/** The fact in a message of DuckDB's parser. */
export function parserFact(message: string): string {
  return insides.find(([words]) => words.test(message))?.[1] ?? message;
}

/** The candidate in a message that resembles the unknown name. DuckDB also lists far-fetched ones. */
function nearName(message: string): string | undefined {
  const [, wanted] = /"([^"]+)"/.exec(message) ?? [];
  const [, listed = ""] = /\nCandidate \w+: (.*)/.exec(message) ?? [];
  const candidates = [...listed.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name);
  return wanted === undefined ? undefined : suggest(wanted, candidates)[0];
}

/** The place of the arrow below a line that DuckDB draws; `undefined` if it shows only a part of the line. */
function drawnOffset(
  [, line = "1", text = "", indent = ""]: RegExpExecArray,
  query: string,
): number | undefined {
  const before = query.split("\n").slice(0, Number(line) - 2);
  const start = before.reduce((sum, { length }) => sum + length + 1, 0);
  const column = indent.length - `LINE ${line}: `.length;
  return query.startsWith(text.slice(0, column), start) ? start + column : undefined;
}
