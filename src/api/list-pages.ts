import { ApiAnswerError } from "./answer-error.js";
import { type ApiConnection, callOperation, type OperationInput } from "./call-operation.js";
import type { Operations } from "./contract.js";

/** Operations whose answer is one page of a list. */
type PagedOperation = {
  [Id in keyof Operations]: Operations[Id]["answer"] extends { readonly pagination: unknown } ? Id : never;
}[keyof Operations];

type Item<Id extends PagedOperation> = Operations[Id]["answer"]["data"][number];

/** Milliseconds that all pages together may take. */
const patience = 600_000;

/** More pages than any list has, however fast they come. */
const mostPages = 10_000;

/**
 * A whole list, page by page: it ends where there is no token for a next page, however short pages are.
 * @throws ApiAnswerError when a token comes again, and when there are pages still after ten minutes, which would never
 * end; otherwise as `callOperation`
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
    if (seen.has(next)) throw new ApiAnswerError(id, "points to a page that was there before");
    seen.add(next);
    if (seen.size >= mostPages || connection.world.now() - since > patience)
      throw new ApiAnswerError(id, `has no end: there is more after ${seen.size} pages`);
    page_token = next;
  }
}
