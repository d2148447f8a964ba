import type { KnownBlock } from "./deployment.js";
import type { QueryAnswer, QueryEngine, Spend } from "./engine.js";
import { defaultLimits } from "./limits.js";
import type { QueryBody } from "./query-body.js";
import { QueryError } from "./query-error.js";
import { parseQuery } from "./request/parse-query.js";

/** An HTTP answer. The server adds the parts that are the same for all answers. */
export interface BodyAnswer {
  readonly status: 200 | 400;
  /** JSON. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The head at which every indexer must give this answer, or none in particular if the head was not looked up. Missing
   * if other indexers might answer differently, or this is unknown.
   */
  readonly attested?: { readonly head: KnownBlock | undefined };
}

/**
 * Answers the body of a request as graph-node does: an error in a query is not a failure of the request.
 * @param spend as in `execute`
 * @param gone as in `execute`
 * @throws DatabaseError if the database cannot answer
 */
export async function answerBody(
  { text, content }: QueryBody,
  engine: Pick<QueryEngine, "execute">,
  spend?: Spend,
  gone?: AbortSignal,
): Promise<BodyAnswer> {
  if (text === "") return refusal("Body is required");
  if (typeof content === "string") return refusal(`${clientError}${content}`);
  const { query, variables, operationName } = content;
  // A GraphQL syntax error is reported whatever the variables are.
  if (!variables && isGraphql(query)) return refusal(`${clientError}Invalid query variables provided`);
  const answer = await engine.execute({ query, variables: variables ?? {}, operationName }, spend, gone);
  const { data, errors, attestable, head } = answer;
  return {
    status: 200,
    body: JSON.stringify({ data, errors }),
    headers: headersOf(answer),
    ...(attestable && { attested: { head } }),
  };
}

const clientError = "GraphQL server error (client error): ";

function refusal(error: string): BodyAnswer {
  return { status: 400, body: JSON.stringify({ error }), headers: {} };
}

function isGraphql(query: string): boolean {
  try {
    parseQuery(query, defaultLimits);
    return true;
  } catch (error) {
    if (error instanceof QueryError) return false;
    throw error;
  }
}

function headersOf({ attestable, head }: QueryAnswer): Record<string, string> {
  const { hash, number, timestamp = null } = head ?? {};
  return {
    "graph-attestable": String(attestable),
    "graph-indexed": head ? JSON.stringify({ hash, number, timestamp }) : "null",
  };
}
