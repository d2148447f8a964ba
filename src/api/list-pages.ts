import { ApiAnswerError } from "./answers/answer-error.js";
import { callOperation, type OperationInput } from "./call-operation.js";
import type { ApiConnection } from "./call-route.js";
import type { Operations } from "./contract.js";

/** Operations whose response is one page of a list. */
type PagedOperation = {
  [Id in keyof Operations]: Operations[Id]["answer"] extends { readonly pagination: unknown } ? Id : never;
}[keyof Operations];

type Item<Id extends PagedOperation> = Operations[Id]["answer"]["data"][number];

/** Milliseconds that all pages together may take. */
const patience = 600_000;

/** The most pages to read, more than any list has. */
const mostPages = 10_000;

/**
 * Fetches a whole list, page by page, until a page has no token for the next one; a short page does not end it.
 * @throws ApiAnswerError if a page token repeats, and if the list has not ended after ten minutes or 10,000 pages;
 *   otherwise as `callOperation`
 */
export async function listPages<Id extends PagedOperation>(
  connection: ApiConnection,
  id: Id,
  input: OperationInput<Id>,
): Promise<readonly Item<Id>[]> {
  const items: Item<Id>[] = [];
  const seen = new Set<string>();
  const since = connection.world.now();
  for (let page_token: string | undefined; ; ) {
    const query = page_token === undefined ? {} : { query: { page_token } };
    const page: Operations[Id]["answer"] = await callOperation(connection, id, { ...input, ...query });
    items.push(...page.data);
    const next = page.pagination.next_page_token;
    if (next === null || next === "") return items;
    if (seen.has(next)) throw new ApiAnswerError(id, "points to a page that was already read");
    seen.add(next);
    if (seen.size >= mostPages || connection.world.now() - since > patience)
      throw new ApiAnswerError(id, `does not end: more follows after ${seen.size} pages`);
    page_token = next;
  }
}
