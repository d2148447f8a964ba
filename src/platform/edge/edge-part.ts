import cors from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type EdgeEndpoint, edgeEndpointOf } from "../catalog/edge-endpoints.js";
import { Gateway, type GatewayOptions } from "../hosting/nodes/gateway.js";
import { wait } from "../hosting/wait.js";
import { bearerOf } from "../http/access.js";
import { Problem } from "../http/problem.js";
import type { Platform } from "../platform.js";
import type { RunningPart } from "../server-part.js";
import { readBudget } from "./budget.js";
import { countErrors, mostCalls, readRpcBody } from "./call.js";
import { EdgeCounts } from "./counts.js";
import { isAllowed } from "./domains.js";
import { MinuteLimit } from "./minute-limit.js";

/** Milliseconds between two writings of what was counted. */
const writeInterval = 5_000;
/** Bytes of a body. */
const largestBody = 1_048_576;
/** Larger answers are not searched for errors. */
const largestJudged = 1_048_576;

const gatewayOptions: GatewayOptions = { concurrency: 16, pollInterval: 1_000, cacheBytes: 16 * 1_048_576 };

/**
 * The nodes of chains behind endpoints: `POST /edge/rpc/<network>?secret=<key>`, or with the key as a bearer or as
 * `x-api-key`. Who asks too often, from a page that may not, or with a paused endpoint is refused.
 */
export function edgePart(platform: Platform): RunningPart {
  const { database, world, settings, meters } = platform;
  const closing = new AbortController();
  const gateways = new Map<string, Gateway>();
  const gatewayOf = (network: string): Gateway | undefined => {
    const addresses = settings.nodes.get(network);
    if (!addresses) return undefined;
    const options = { ...gatewayOptions, metered: { network, meters } };
    const gateway = gateways.get(network) ?? new Gateway(addresses, options, world, closing.signal);
    gateways.set(network, gateway);
    return gateway;
  };
  const counts = new EdgeCounts(database, () => world.now());
  const total = new MinuteLimit(() => world.now());
  const perAddress = new MinuteLimit(() => world.now());

  async function endpointOf(request: FastifyRequest): Promise<EdgeEndpoint> {
    const key = keyOf(request);
    const found = key === undefined ? undefined : await edgeEndpointOf(database, key);
    if (!found) throw new Problem("unauthorized", "Send the key of an endpoint, as ?secret= or as a bearer.");
    return found;
  }

  function limit(endpoint: EdgeEndpoint, calls: number, address: string): void {
    const budget = readBudget(endpoint.budget);
    const name = `${endpoint.project}/${endpoint.name}`;
    const wait =
      total.take(name, budget.total, calls) ??
      perAddress.take(`${name} ${address}`, budget.perAddress, calls);
    if (wait === undefined) return;
    throw new Problem("rate-limited", `The endpoint's budget of this minute is spent (${endpoint.budget}).`, {
      retryAfter: wait,
    });
  }

  function judge(endpoint: EdgeEndpoint, request: FastifyRequest): void {
    if (endpoint.product !== "rpc") {
      throw new Problem("forbidden", "This endpoint is for the data service, not for the nodes of chains.");
    }
    if (endpoint.pausedAt) throw new Problem("forbidden", "The endpoint is paused.");
    if (!isAllowed(endpoint.domains, request.headers.origin)) {
      throw new Problem(
        "forbidden",
        "Pages of this domain may not use the endpoint; add it to its allowed_domains.",
      );
    }
  }

  async function routes(app: FastifyInstance): Promise<void> {
    await app.register(cors, { origin: true, methods: ["POST"], allowedHeaders: "*", maxAge: 600 });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "string", bodyLimit: largestBody }, (_, body, done) =>
      done(null, body),
    );
    app.post<{ Params: { network: string } }>(
      "/edge/rpc/:network",
      { config: { role: "anyone" } },
      async (request, reply) => {
        const endpoint = await endpointOf(request);
        const body = typeof request.body === "string" ? request.body : "";
        const rpc = readRpcBody(body);
        const calls = rpc?.calls ?? 1;
        try {
          judge(endpoint, request);
          if (!rpc) throw new Problem("bad-request", "The body is no JSON-RPC request.");
          if (calls > mostCalls)
            throw new Problem("bad-request", `A batch has at most ${mostCalls} requests.`);
          if (rpc.refused !== undefined)
            throw new Problem("forbidden", `${rpc.refused.slice(0, 100)} is not passed on.`);
          limit(endpoint, calls, request.ip);
          const gateway = gatewayOf(request.params.network);
          if (!gateway) throw new Problem("not-found", "This server has no node of that network.");
          const { status, bytes } = await gateway.answer(endpoint.name, body);
          const isWell = status === 200;
          if (!isWell) throw new Problem("unavailable", `The node did not answer (status ${status}).`);
          const errors = bytes.length > largestJudged ? 0 : countErrors(new TextDecoder().decode(bytes));
          counts.add(endpoint, calls, Math.min(calls, errors));
          return reply.type("application/json").send(Buffer.from(bytes));
        } catch (error) {
          counts.add(endpoint, calls, calls);
          throw error;
        }
      },
    );
  }

  const writing = (async () => {
    while (!closing.signal.aborted) {
      await wait(writeInterval, world, closing.signal);
      // The database is away: what was counted is written in the next round.
      await counts.write().catch(() => undefined);
    }
  })();
  return {
    routes,
    async close() {
      closing.abort();
      await writing;
    },
  };
}

function keyOf(request: FastifyRequest): string | undefined {
  const { secret } = request.query as { readonly secret?: unknown };
  const header = request.headers["x-api-key"];
  return (
    bearerOf(request) ??
    (typeof header === "string" ? header : undefined) ??
    (typeof secret === "string" ? secret : undefined)
  );
}
