import { ApiAnswerError } from "./answer-error.js";
import { type ApiConnection, callOperation, type OperationInput } from "./call-operation.js";
import type { Operations } from "./contract.js";

/** Operations whose answer is one page of a list. */
type PagedOperation = {
  [Id in keyof Operations]: Operations[Id]["answer"] extends { readonly pagination: unknown } ? Id : never;
}[keyof Operations];

type Item<Id extends PagedOperation> = Operations[Id]["answer"]["data"][number];

/**
 * A whole list, page by page: it ends where there is no token for a next page, however short pages are.
 * @throws ApiAnswerError when a token comes again, which would never end; otherwise as `callOperation`
 */
export async function listPages<Id extends PagedOperation>(
  connection: ApiConnection,
  id: Id,
  input: OperationInput<Id>,
): Promise<readonly Item<Id>[]> {
  const items: Item<Id>[] = [];
  const seen = new Set<string>();
  for (let page_token: string | undefined; ; ) {
    const query = page_token === undefined ? {} : { query: { page_token } };
    const page: Operations[Id]["answer"] = await callOperation(connection, id, { ...input, ...query });
    items.push(...page.data);
    const next = page.pagination.next_page_token;
    if (next === null || next === "") return items;
    if (seen.has(next)) throw new ApiAnswerError(id, "points to a page that was there before");
    seen.add(next);
    page_token = next;
  }
}
