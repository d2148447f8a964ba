import type { FastifyInstance } from "fastify";
import { networkNamed } from "../../hosting/chain-ids.js";
import { Gateway, type GatewayOptions } from "../../nodes/gateway.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { answerToBody, countErrors, mostCalls, readRpcBody } from "./call.js";
import type { EdgeName } from "./edge-endpoints.js";
import type { Admitted, Gatekeeper } from "./gatekeeper.js";

/** The most bytes in a body. */
const largestBody = 1_048_576;
/** Larger answers are not searched for errors. */
const largestJudged = 1_048_576;

const gatewayOptions: GatewayOptions = {
  concurrency: 16,
  pollInterval: 1_000,
  cacheBytes: 16 * 1_048_576,
  // Clients cannot reject an answer here, so a wrong answer from a node must expire by itself.
  longestKept: 60_000,
};

/** Chain nodes behind endpoints: `POST /edge/rpc/<network or chain id>`. @param closing aborts requests to nodes */
export function rpcRoutes(
  { world, hosting, settings, meters }: Platform,
  gatekeeper: Gatekeeper,
  closing: AbortSignal,
): (app: FastifyInstance) => Promise<void> {
  const gateways = new Map<string, Gateway>();
  const gatewayOf = (network: string): Gateway | undefined => {
    const addresses = settings.nodes.get(network);
    if (!addresses) return undefined;
    const options = { ...gatewayOptions, metered: { network, meters } };
    const gateway = gateways.get(network) ?? new Gateway(addresses, options, world, closing);
    gateways.set(network, gateway);
    return gateway;
  };

  /** @param passed the body for the nodes; without one, no node is asked */
  async function ask(
    { project }: EdgeName,
    network: string,
    passed: string | undefined,
  ): Promise<Admitted<Uint8Array>> {
    const gateway = passed === undefined ? undefined : gatewayOf(network);
    if (!gateway || passed === undefined) return { answer: new Uint8Array(0), errors: 0 };
    // More endpoints do not give a project more turns.
    const { status, bytes: answer } = await gateway.answer(project, passed);
    if (status !== 200) throw new Problem("unavailable", `The node did not answer (status ${status}).`);
    const isJudged = answer.length > 0 && answer.length <= largestJudged;
    return { answer, errors: isJudged ? countErrors(new TextDecoder().decode(answer)) : 0 };
  }

  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "string", bodyLimit: largestBody }, (_, body, done) =>
      done(null, body),
    );
    app.post<{ Params: { network: string } }>(
      "/rpc/:network",
      { config: { role: "anyone" } },
      async (request, reply) => {
        const body = typeof request.body === "string" ? request.body : "";
        const rpc = readRpcBody(body);
        const network = (await networkNamed(request.params.network, hosting, settings.nodes)) ?? "";
        const check = (): void => {
          if (!rpc) throw new Problem("bad-request", "The body is not a JSON-RPC request.");
          if (rpc.size > mostCalls)
            throw new Problem("bad-request", `A batch may contain at most ${mostCalls} requests.`);
          if (!settings.nodes.has(network))
            throw new Problem("not-found", "This server has no node for that network.");
        };
        const wanted = { product: "rpc", calls: rpc?.calls ?? 0, check } as const;
        const answer = await gatekeeper.admit(request, wanted, (endpoint) =>
          ask(endpoint, network, rpc?.passed),
        );
        const bytes = rpc && answerToBody(rpc, answer);
        return bytes ? reply.type("application/json").send(bytes) : reply.status(204).send();
      },
    );
  };
}
