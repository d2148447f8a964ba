import { joinFragments, SQL, type SqlFragment } from "../database/database.js";
import { quoteText } from "../database/quote.js";

/**
 * What is searched in some texts: the lexemes of each, one after the other; null where there is nothing to search.
 * @param texts as the statement names them, in order
 */
export function lexemesSql(configuration: string, texts: readonly SqlFragment[]): SqlFragment {
  const each = texts.map((text) => SQL`to_tsvector(${quoteText(configuration)}, coalesce(${text}, ''))`);
  return SQL`case when coalesce(${texts}) is not null then ${joinFragments(each, SQL` || `)} end`;
}
