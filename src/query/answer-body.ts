import type { KnownBlock } from "./deployment.js";
import type { QueryAnswer, QueryEngine, Spend } from "./engine.js";
import { defaultLimits } from "./limits.js";
import type { QueryBody } from "./query-body.js";
import { QueryError } from "./query-error.js";
import { parseQuery } from "./request/parse-query.js";

/** What a server answers to a request over HTTP; what is the same for all answers is left to it. */
export interface BodyAnswer {
  readonly status: 200 | 400;
  /** JSON. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * At which head every indexer would have to give this answer; at none in particular when the head was not looked up.
   * Left out when others might answer otherwise, or it is not known.
   */
  readonly attested?: { readonly head: KnownBlock | undefined };
}

/**
 * Answers the body of a request, as graph-node does: what is wrong with a query is no failure of the request.
 * @param spend as `execute` has it
 * @throws DatabaseError when the database cannot answer
 */
export async function answerBody(
  { text, content }: QueryBody,
  engine: Pick<QueryEngine, "execute">,
  spend?: Spend,
): Promise<BodyAnswer> {
  if (text === "") return refusal("Body is required");
  if (typeof content === "string") return refusal(`${clientError}${content}`);
  const { query, variables, operationName } = content;
  // A query that is no GraphQL is answered as such, whatever its variables are.
  if (!variables && isGraphql(query)) return refusal(`${clientError}Invalid query variables provided`);
  const answer = await engine.execute({ query, variables: variables ?? {}, operationName }, spend);
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
