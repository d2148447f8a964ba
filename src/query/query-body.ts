import { isRecord } from "../base/text/json-value.js";

/** The body of a request, read once. Engines answer its contents or pass on its text. */
export interface QueryBody {
  /** The unchanged text. */
  readonly text: string;
  /** Its contents, or an error in graph-node's words if it is not a request. */
  readonly content: QueryContent | string;
}

/** The contents of a request's body. */
export interface QueryContent {
  readonly query: string;
  /** Missing if they are not an object, which happens only if the query is not GraphQL. */
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string;
}

/** Reads the body of a request, as graph-node does. */
export function readQueryBody(text: string): QueryBody {
  return { text, content: contentOf(text) };
}

function contentOf(text: string): QueryContent | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (!isRecord(json)) return "Request data is not an object";
  const { query, variables, operationName } = json;
  if (query === undefined) return 'The "query" field is missing in request data';
  if (typeof query !== "string") return 'The "query" field is not a string';
  const given = variables ?? {};
  return {
    query,
    variables: isRecord(given) ? given : undefined,
    ...(typeof operationName === "string" && { operationName }),
  };
}

/** A key that is equal for equivalent requests; `undefined` for a body that is not a request. */
export function questionOf({ content }: QueryBody): string | undefined {
  if (typeof content === "string" || !content.variables) return undefined;
  const { query, variables, operationName } = content;
  // With one operation, its name has no effect.
  const mayBeSeveral = (query.match(/\b(?:query|mutation|subscription)\b/g)?.length ?? 0) > 1;
  const named = mayBeSeveral && operationName !== undefined ? [operationName] : [];
  return JSON.stringify([query, variables, ...named]);
}
