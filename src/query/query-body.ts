import { isRecord } from "../base/json-value.js";

/** The body of a request, read once: engines answer what it says, or pass its text on. */
export interface QueryBody {
  /** As it came. */
  readonly text: string;
  /** What it says; a sentence in graph-node's words when it is no request. */
  readonly content: QueryContent | string;
}

/** What the body of a request says. */
export interface QueryContent {
  readonly query: string;
  /** Nothing when they are no object, which a request has only when its query is no GraphQL. */
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

/** A text that is the same for all bodies that ask the same; nothing for one that is no request. */
export function questionOf({ content }: QueryBody): string | undefined {
  if (typeof content === "string" || !content.variables) return undefined;
  const { query, variables, operationName } = content;
  // Where there is one operation, its name changes nothing.
  const mayBeSeveral = (query.match(/\b(?:query|mutation|subscription)\b/g)?.length ?? 0) > 1;
  const named = mayBeSeveral && operationName !== undefined ? [operationName] : [];
  return JSON.stringify([query, variables, ...named]);
}
