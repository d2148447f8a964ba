import type { FastifyInstance, FastifyRequest } from "fastify";
import { parseAddress } from "../../web/http/address.js";
import { type ExchangeLimits, exchange, type Received } from "../../web/http/exchange.js";
import { prepare } from "../../web/http/prepare.js";
import type { DataService, Platform } from "../platform.js";
import { Problem } from "../problem.js";
import type { Gatekeeper } from "./gatekeeper.js";

const limits: ExchangeLimits = { timeout: 30_000, answerTime: 60_000, maxAnswer: 16 * 1_048_576 };
/** Headers of the service that clients get: how long an answer may be kept, and which block it is of. */
const told = ["cache-control", "x-blocks", "x-block-number", "x-block-hash", "x-block-timestamp"];
/** The path below which the data service is reached. */
const base = "/edge/data";

/**
 * The data service behind endpoints: `GET /edge/data/<its path>?<its query>`. The server forwards its answers, refusals
 * included. It does not forward the client's key, but sends its own.
 */
export function dataRoutes(
  { world, settings }: Platform,
  gatekeeper: Gatekeeper,
): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    app.get("/data/*", { config: { role: "anyone" } }, async (request, reply) => {
      const received = await gatekeeper.admit(request, { product: "data", calls: 1 }, async () => {
        const answer = await ask(settings.dataService, request);
        return { answer, errors: answer.status >= 400 ? 1 : 0 };
      });
      const { status, headers, bytes, retryAfter } = received;
      if (retryAfter !== undefined) reply.header("retry-after", String(Math.ceil(retryAfter / 1000)));
      for (const name of told) {
        const value = headers.get(name);
        if (value !== null) reply.header(name, value);
      }
      // Whatever content type it claims, this is an API's answer and never a page of this server.
      const isText = headers.get("content-type")?.startsWith("text/plain") === true;
      return reply
        .status(status)
        .header("x-content-type-options", "nosniff")
        .type(isText ? "text/plain; charset=utf-8" : "application/json")
        .send(Buffer.from(bytes));
    });
  };

  async function ask(service: DataService | undefined, request: FastifyRequest): Promise<Received> {
    if (!service) {
      throw new Problem(
        "unavailable",
        "This server was started without a data service. Start it with graphloom serve --data-service <address>.",
      );
    }
    const address = parseAddress(target(service, request.raw.url ?? ""));
    if (!address) throw new Problem("not-found", "The data service has no such address.");
    const sent = prepare(
      {
        method: "GET",
        url: address.href,
        retry: false,
        headers: {
          accept: "application/json",
          ...(service.key !== undefined && { "x-api-key": service.key }),
        },
      },
      address,
    );
    const { outcome } = await exchange(sent, world, limits);
    if (outcome instanceof Error)
      throw new Problem("unavailable", `The data service did not answer: ${outcome.reason}.`);
    if (outcome.status === 401 || outcome.status === 402) {
      throw new Problem(
        "unavailable",
        "The data service rejected this server's key (GRAPHLOOM_DATA_SERVICE_KEY).",
      );
    }
    return outcome;
  }
}

/** Returns the address of a request: below the service's address, without the client's key. @throws Problem */
function target(service: DataService, asked: string): string {
  const own = new URL(service.address);
  const { pathname, searchParams } = new URL(asked, "http://localhost");
  searchParams.delete("secret");
  searchParams.delete("key");
  const root = own.pathname.replace(/\/+$/, "");
  own.pathname = `${root}${pathname.slice(base.length)}`;
  // Dots in a path lead upwards, even when they are written as %2e.
  if (!own.pathname.startsWith(`${root}/`) || !pathname.startsWith(`${base}/`))
    throw new Problem("not-found", "The data service has no such address.");
  own.search = searchParams.toString();
  return own.href;
}
