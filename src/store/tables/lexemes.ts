import { joinFragments, SQL, type SqlFragment } from "../database/database.js";
import { quoteText } from "../database/quote.js";

/**
 * SQL for the searchable content of texts: the lexemes of each in turn. As in graph-node, null counts as an empty text,
 * which a search for `!word` finds.
 * @param texts SQL for the texts, in order
 */
export function lexemesSql(configuration: string, texts: readonly SqlFragment[]): SqlFragment {
  const each = texts.map((text) => SQL`to_tsvector(${quoteText(configuration)}, coalesce(${text}, ''))`);
  return joinFragments(each, SQL` || `);
}
