import { checkData } from "./answers/check-answer.js";
import { type ApiConnection, callRoute } from "./call-route.js";
import { type HostedSink, hostedSinkOperations, type NewHostedSink } from "./hosted-sink-operations.js";

/**
 * Hosted sinks on graphloom's server. Every method makes one attempt. It rejects with ApiProblem if the server
 * refuses, HttpError if there is no response, and ApiAnswerError if the answer is malformed.
 */
export interface HostedSinksApi {
  create(sink: NewHostedSink): Promise<HostedSink>;
  /** @param name of the secret */
  remove(name: string): Promise<void>;
}

/** Milliseconds without progress: a server may take a while to create a database. */
const patience = 60_000;

/** Creates a client for a server's hosted sinks. This sends no request. */
export function createHostedSinksApi(connection: ApiConnection): HostedSinksApi {
  const { createHostedSink: create, deleteHostedSink: remove } = hostedSinkOperations;
  return {
    async create(body) {
      const id = "createHostedSink";
      const { text, secrets } = await callRoute(connection, { ...create, id }, { timeout: patience, body });
      return checkData(id, create, text, secrets) as HostedSink;
    },
    async remove(name) {
      const route = { ...remove, id: "deleteHostedSink" } as const;
      await callRoute(connection, route, { timeout: patience, path: { name } });
    },
  };
}
