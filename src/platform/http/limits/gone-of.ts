import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../../problem.js";

const replies = new WeakMap<FastifyRequest["raw"], FastifyReply["raw"]>();
/** One signal for each request, shared by all parts of the server. */
const signals = new WeakMap<FastifyRequest["raw"], AbortSignal>();

/** Lets `goneOf` find the answer to each request. */
export function watchClients(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => void replies.set(request.raw, reply.raw));
}

/** Aborted when the client leaves before it has its answer. The request itself closes once its body has been read. */
export function goneOf({ raw }: Pick<FastifyRequest, "raw">): AbortSignal {
  const known = signals.get(raw);
  if (known) return known;
  const gone = new AbortController();
  signals.set(raw, gone.signal);
  const answer = replies.get(raw);
  const judge = (): void => {
    if (!answer?.writableFinished)
      gone.abort(new Problem("bad-request", "The client closed the connection."));
  };
  if (answer?.destroyed) judge();
  else answer?.once("close", judge);
  return gone.signal;
}
