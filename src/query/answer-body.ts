import { isRecord } from "../base/json-value.js";
import type { QueryAnswer, QueryEngine, Spend } from "./engine.js";
import { defaultLimits } from "./limits.js";
import { QueryError } from "./query-error.js";
import { parseQuery } from "./request/parse-query.js";

/** What a server answers to a request over HTTP; what is the same for all answers is left to it. */
export interface BodyAnswer {
  readonly status: 200 | 400;
  /** JSON. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers the body of a request, as graph-node does: what is wrong with a query is no failure of the request.
 * @param spend as `execute` has it
 * @throws DatabaseError when the database cannot answer
 */
export async function answerBody(
  body: string,
  engine: Pick<QueryEngine, "execute">,
  spend?: Spend,
): Promise<BodyAnswer> {
  if (body === "") return { status: 400, body: JSON.stringify({ error: "Body is required" }), headers: {} };
  const request = readBody(body);
  if (typeof request === "string") {
    const error = `GraphQL server error (client error): ${request}`;
    return { status: 400, body: JSON.stringify({ error }), headers: {} };
  }
  const answer = await engine.execute(request, spend);
  const { data, errors } = answer;
  return { status: 200, body: JSON.stringify({ data, errors }), headers: headersOf(answer) };
}

interface BodyRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

/** @returns what is wrong when it is no request */
function readBody(body: string): BodyRequest | string {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (!isRecord(json)) return "Request data is not an object";
  const { query, variables } = json;
  if (query === undefined) return 'The "query" field is missing in request data';
  if (typeof query !== "string") return 'The "query" field is not a string';
  const named = typeof json.operationName === "string" ? { operationName: json.operationName } : {};
  if (isRecord(variables)) return { query, variables, ...named };
  // A query that is no GraphQL is answered as such, whatever its variables are.
  if (variables === undefined || variables === null || !isGraphql(query)) {
    return { query, variables: {}, ...named };
  }
  return "Invalid query variables provided";
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
