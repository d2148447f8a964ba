import { answerBody } from "../../../src/query/answer-body.js";
import type { QueryEngine } from "../../../src/query/engine.js";
import { readQueryBody } from "../../../src/query/query-body.js";
import { type DoubleServer, startDouble } from "../network/double-server.js";

/** A server that answers queries to one deployment, whatever the path. */
export function startQueryServer(engine: QueryEngine): Promise<DoubleServer> {
  return startDouble(async ({ body }) => ({
    ...(await answerBody(readQueryBody(String(body)), engine)),
    type: "application/json",
  }));
}
