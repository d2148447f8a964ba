import type { FastifyInstance } from "fastify";
import { Gateway, type GatewayOptions } from "../hosting/nodes/gateway.js";
import { Problem } from "../http/problem.js";
import type { Platform } from "../platform.js";
import { countErrors, mostCalls, readRpcBody } from "./call.js";
import type { Gatekeeper } from "./gatekeeper.js";

/** Bytes of a body. */
const largestBody = 1_048_576;
/** Larger answers are not searched for errors. */
const largestJudged = 1_048_576;

const gatewayOptions: GatewayOptions = { concurrency: 16, pollInterval: 1_000, cacheBytes: 16 * 1_048_576 };

/** The nodes of chains behind endpoints: `POST /edge/rpc/<network>`. @param closing ends what is asked of nodes */
export function rpcRoutes(
  { world, settings, meters }: Platform,
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

  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "string", bodyLimit: largestBody }, (_, body, done) =>
      done(null, body),
    );
    app.post<{ Params: { network: string } }>(
      "/edge/rpc/:network",
      { config: { role: "anyone" } },
      async (request, reply) => {
        const body = typeof request.body === "string" ? request.body : "";
        const rpc = readRpcBody(body);
        const calls = rpc?.calls ?? 1;
        const check = (): void => {
          if (!rpc) throw new Problem("bad-request", "The body is no JSON-RPC request.");
          if (calls > mostCalls)
            throw new Problem("bad-request", `A batch has at most ${mostCalls} requests.`);
          if (rpc.refused !== undefined)
            throw new Problem("forbidden", `${rpc.refused.slice(0, 100)} is not passed on.`);
        };
        const bytes = await gatekeeper.admit(request, { product: "rpc", calls, check }, async ({ name }) => {
          const gateway = gatewayOf(request.params.network);
          if (!gateway) throw new Problem("not-found", "This server has no node of that network.");
          const { status, bytes: answer } = await gateway.answer(name, body);
          if (status !== 200) throw new Problem("unavailable", `The node did not answer (status ${status}).`);
          const errors = answer.length > largestJudged ? 0 : countErrors(new TextDecoder().decode(answer));
          return { answer, errors };
        });
        return reply.type("application/json").send(Buffer.from(bytes));
      },
    );
  };
}
