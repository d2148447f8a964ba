import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { listenError } from "../../base/listen-error.js";
import { openApiDocument } from "../../data/openapi/openapi-document.js";
import type { DataService } from "../../data/service/data-service.js";
import { addExplorer } from "../http/add-explorer.js";
import { Fastify, LogController } from "../http/fastify.js";
import { answerPages, finishAnswer } from "../http/finish-answer.js";
import { logFailures } from "../log-failures.js";

/** How to serve the data service. */
export interface ServeDataOptions {
  readonly service: DataService;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The address that clients use, if it differs from the address that the server listens on. */
  readonly publicAddress?: string | undefined;
  /** Receives failures, whose details clients do not get; without it, nothing is logged. */
  readonly logger?: FastifyBaseLogger | undefined;
}

/** A data service that listens. */
export interface ServedData {
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves the data service over HTTP, with its OpenAPI document at `/openapi.json` and its explorer at `/docs`.
 * @throws ListenError if it cannot listen on the port
 */
export async function serveData({
  service,
  host,
  port,
  publicAddress,
  logger,
}: ServeDataOptions): Promise<ServedData> {
  let address = publicAddress ?? "";
  const app = Fastify({
    bodyLimit: 1_024,
    requestTimeout: 30_000,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true },
    ...(logger && { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    // An invalid URL never reaches a route.
    frameworkErrors: (_, __, reply) =>
      void (reply as FastifyReply).status(400).type("application/json; charset=utf-8").send(refused),
    // Anything but an HTTP request never reaches the framework.
    clientErrorHandler: (error, socket) => refuseClient(error, socket),
  });
  app.addHook("onRequest", async (request, reply) => {
    if (answerPages(request as FastifyRequest, reply as FastifyReply)) return reply;
    return undefined;
  });
  app.addHook("onSend", async (request, reply, payload) =>
    finishAnswer(request as FastifyRequest, reply as FastifyReply, payload),
  );
  app.get("/openapi.json", async () => openApiDocument(address));
  app.get("/", async (_, reply) => reply.redirect("/docs"));
  await addExplorer(app as never, {
    path: "/docs",
    title: "graphloom: data service",
    places: [],
    document: () => openApiDocument(address),
  });
  // The service refuses in its own format, for any path and method.
  app.setNotFoundHandler(async (request, reply) => {
    const { status, headers, body } = await service
      .answer({
        method: request.method,
        url: request.url,
        header: (name) => [request.headers[name]].flat()[0],
      })
      .catch((error: unknown) => {
        request.log.error(error);
        return failed;
      });
    return reply
      .status(status)
      .headers({ "x-content-type-options": "nosniff", ...headers })
      .type("application/json; charset=utf-8")
      .send(body);
  });
  app.setErrorHandler((error: unknown, request, reply) => {
    const { statusCode = 500 } = (error ?? {}) as { readonly statusCode?: number };
    if (statusCode >= 500) request.log.error(error);
    const body = statusCode >= 500 ? failed.body : refused;
    return reply.status(statusCode).type("application/json; charset=utf-8").send(body);
  });
  const deafen = logFailures(logger);
  try {
    const listening = await app.listen({ host, port });
    address ||= listening;
    return { address, close: () => app.close().finally(deafen) };
  } catch (error) {
    deafen();
    await app.close();
    throw listenError(error, host, port);
  }
}

const failed = {
  status: 500,
  headers: { "cache-control": "no-store" },
  body: JSON.stringify({
    error: {
      code: "INTERNAL",
      message: "The service failed to handle the request. Its log has the details.",
    },
  }),
};

const refused = JSON.stringify({ error: { code: "BAD_REQUEST", message: "The request is not valid HTTP." } });

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Answers data that Node.js cannot read as a request. */
function refuseClient(error: { readonly code?: string }, socket: Connection): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const status = statuses[error.code ?? ""] ?? "400 Bad Request";
  const headers = `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(refused)}\r\nconnection: close`;
  if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${refused}`);
  else socket.destroy();
}

interface Connection {
  readonly destroyed: boolean;
  readonly writable: boolean;
  end(text: string): unknown;
  destroy(): unknown;
}
