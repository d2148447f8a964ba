import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { openApiDocument } from "../../data/openapi/openapi-document.js";
import { parseAddress } from "../../web/http/address.js";
import { type ExchangeLimits, exchange, type Received } from "../../web/http/exchange.js";
import { prepare } from "../../web/http/prepare.js";
import { logFailure, problemOf } from "../http/app.js";
import { finishAnswer } from "../http/finish-answer.js";
import type { DataService, OwnDataService, Platform, RemoteDataService } from "../platform.js";
import { Problem } from "../problem.js";
import type { Gatekeeper } from "./gatekeeper.js";

const limits: ExchangeLimits = { timeout: 30_000, answerTime: 60_000, maxAnswer: 16 * 1_048_576 };
/** Headers of the service that clients get: how long an answer may be cached, and its block. */
export const toldHeaders = [
  "cache-control",
  "retry-after",
  "x-blocks",
  "x-block-number",
  "x-block-hash",
  "x-block-timestamp",
];
/** The path of the data service. */
export const dataBase = "/edge/data";

/** The OpenAPI document of the data service behind endpoints. @param address of the server */
export function dataDocument(address: string): Readonly<Record<string, unknown>> {
  return openApiDocument(`${address}${dataBase}`, {
    403: "The endpoint is paused, is for something else, or does not allow pages of this origin",
    429: "The endpoint's budget for this minute is used up",
  });
}

/** The client's answer. */
interface DataAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly body: string | Buffer;
  readonly isText: boolean;
}

/**
 * The data service behind endpoints: `GET /edge/data/<its path>?<its query>`. The server forwards its answers,
 * including refusals, or answers itself. The service never gets the client's key, only the server's.
 */
export function dataRoutes(
  { world, settings }: Platform,
  gatekeeper: Gatekeeper,
): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    app.setErrorHandler((error: unknown, request, reply) => {
      const problem = problemOf(error);
      logFailure(request, problem, error);
      return refuse(problem, reply);
    });
    app.addHook("onSend", async (request, reply, payload) => finishAnswer(request, reply, payload));
    app.get("/data/*", { config: { role: "anyone" } }, async (request, reply) => {
      const received = await gatekeeper.admit(request, { product: "data", calls: 1 }, async ({ project }) => {
        const answer = await ask(settings.dataService, request, project);
        return { answer, errors: answer.status >= 400 ? 1 : 0 };
      });
      const { status, header, body, isText } = received;
      for (const name of toldHeaders) {
        const value = header(name);
        if (value !== undefined) reply.header(name, value);
      }
      // Whatever its content type, this is an API's answer and never a page of this server.
      return reply
        .status(status)
        .header("x-content-type-options", "nosniff")
        .type(isText ? "text/plain; charset=utf-8" : "application/json")
        .send(body);
    });
  };

  async function ask(
    service: DataService | undefined,
    request: FastifyRequest,
    project: string,
  ): Promise<DataAnswer> {
    if (!service) {
      throw new Problem(
        "unavailable",
        "This server was started without a data service. Start it with graphloom serve --data-service <address>, or --data-service here.",
      );
    }
    return "service" in service
      ? answerHere(service, request.raw.url ?? "", project)
      : forwarded(await forward(service, request));
  }

  /**
   * Answers in this process. Chains are the same for all projects; a market belongs to the endpoint's
   * project.
   */
  async function answerHere(
    { service, key, marketOf }: OwnDataService,
    asked: string,
    project: string,
  ): Promise<DataAnswer> {
    const { pathname, search } = below(asked);
    const { status, headers, body } =
      pathname === "/openapi.json"
        ? {
            status: 200,
            headers: {},
            body: JSON.stringify(dataDocument(settings.address())),
          }
        : await service.answer({
            method: "GET",
            url: `${pathname}${search}`,
            header: (name) => (name === "x-api-key" ? key : undefined),
            market: () => marketOf(project),
            project,
          });
    const given: Readonly<Record<string, string>> = headers;
    return { status, header: (name) => given[name], body, isText: false };
  }

  async function forward(service: RemoteDataService, request: FastifyRequest): Promise<Received> {
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

/** Refuses in the service's format, the only one that its clients know. */
function refuse({ type, status, message, retryAfter }: Problem, reply: FastifyReply): FastifyReply {
  if (retryAfter !== undefined) reply.header("retry-after", String(retryAfter));
  const code = type.toUpperCase().replaceAll("-", "_");
  return reply
    .status(status)
    .header("cache-control", "no-store")
    .type("application/json; charset=utf-8")
    .send(JSON.stringify({ error: { code, message } }));
}

function forwarded({ status, headers, bytes, retryAfter }: Received): DataAnswer {
  const known: Readonly<Record<string, string | undefined>> = {
    "retry-after": retryAfter === undefined ? undefined : String(Math.ceil(retryAfter / 1000)),
  };
  return {
    status,
    header: (name) => (name in known ? known[name] : (headers.get(name) ?? undefined)),
    body: Buffer.from(bytes),
    isText: headers.get("content-type")?.startsWith("text/plain") === true,
  };
}

/**
 * Converts a client's request to a request to the service, without the client's key.
 * @throws Problem
 */
function below(asked: string): Pick<URL, "pathname" | "search" | "searchParams"> {
  const url = new URL(asked, "http://localhost");
  // Dots in a path lead upwards, even when they are written as %2e.
  if (!url.pathname.startsWith(`${dataBase}/`))
    throw new Problem("not-found", "The data service has no such address.");
  url.searchParams.delete("secret");
  url.searchParams.delete("key");
  url.pathname = url.pathname.slice(dataBase.length);
  return url;
}

/** Returns the address of a request: below the service's address. @throws Problem */
function target(service: RemoteDataService, asked: string): string {
  const own = new URL(service.address);
  const { pathname, searchParams } = below(asked);
  const root = own.pathname.replace(/\/+$/, "");
  own.pathname = `${root}${pathname}`;
  if (!own.pathname.startsWith(`${root}/`))
    throw new Problem("not-found", "The data service has no such address.");
  own.search = searchParams.toString();
  return own.href;
}
