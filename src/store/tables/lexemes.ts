import { quoteText } from "../database/quote.js";

/**
 * What is searched in some texts: the lexemes of each, one after the other; null where there is nothing to search.
 * @param texts as the statement names them, in order
 */
export function lexemesSql(configuration: string, texts: readonly string[]): string {
  const each = texts.map((text) => `to_tsvector(${quoteText(configuration)}, coalesce(${text}, ''))`);
  return `case when coalesce(${texts.join(", ")}) is not null then ${each.join(" || ")} end`;
}
