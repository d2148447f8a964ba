import { HttpError } from "../web/http/http-error.js";
import { openEvents } from "../web/http/open-events.js";
import { checkValue } from "./answers/check-answer.js";
import { readProblem } from "./answers/read-problem.js";
import { type ApiConnection, requestOf } from "./call-route.js";
import { listOf, objectOf, type Schema, textSchema } from "./extension.js";
import { type InspectEvent, nodeSchema, pipelineOperations } from "./pipeline-operations.js";

/**
 * Shows rows that pass the nodes of a pipeline, until the signal is aborted or the pipeline ends. Does not retry.
 * @param nodes names of nodes; all by default
 * @throws ApiProblem if the server refuses; HttpError if there is no response or the connection is lost;
 *   ApiAnswerError for a malformed event
 */
export async function* inspectPipeline(
  connection: ApiConnection,
  name: string,
  nodes: readonly string[] | undefined,
  signal: AbortSignal,
): AsyncGenerator<InspectEvent> {
  const route = { ...pipelineOperations.inspectPipeline, id: "inspectPipeline" as const };
  const input = { path: { name }, query: { nodes: nodes?.join(",") } };
  const request = requestOf(connection, route, input, "text/event-stream");
  const opened = await openEvents(request, connection.world, signal);
  if (opened.kind === "other") throw readProblem(route.id, opened.answer, [connection.token]);
  for await (const { event, data } of opened.events) {
    const read = readEvent(event, data);
    if (read) yield read;
  }
}

/** @returns `undefined` for an event of a later version @throws HttpError, ApiAnswerError */
function readEvent(event: string, data: string): InspectEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    const reason = "the server sent an event that is not JSON";
    throw new HttpError("cut", { message: reason, reason }, false, error);
  }
  const schema = Object.hasOwn(eventSchemas, event)
    ? eventSchemas[event as InspectEvent["event"]]
    : undefined;
  if (!schema) return undefined;
  checkValue("inspectPipeline", schema, value);
  return (event === "nodes" ? { event, nodes: value } : { event, ...(value as object) }) as InspectEvent;
}

/** The parts of each event's data that are read. */
const eventSchemas: Readonly<Record<InspectEvent["event"], Schema>> = {
  nodes: listOf(nodeSchema),
  row: objectOf({ node: textSchema(), op: textSchema(), row: { type: "object" } }),
  dropped: objectOf({ node: textSchema(), rows: { type: "integer" } }),
  end: objectOf({ how: textSchema() }),
};
