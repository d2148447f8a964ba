import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { reportFailure } from "../base/failures.js";
import { listenError } from "../base/listen-error.js";
import { guarded } from "../base/turns/guarded.js";

/** Milliseconds that a client may take to send a request. */
const requestTimeout = 10_000;
/** The most connections at a time. Probes and scrapers need a few. */
const mostConnections = 32;

/** An answer to a request for a path. */
export interface StateAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** A small server that is open. */
export interface StateServer {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the state of a process by paths, for probes and scrapers. It does not keep the process alive.
 * @param port 0 chooses a free one
 * @param option the option that sets the port, for messages
 * @param answerTo `undefined` for a path that does not exist
 * @throws ListenError if it cannot listen there
 */
export async function serveState(
  { host, port, option }: { readonly host: string; readonly port: number; readonly option: string },
  answerTo: (path: string) => StateAnswer | undefined | Promise<StateAnswer | undefined>,
): Promise<StateServer> {
  const answer = async ({ method, url = "" }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isRead = method === "GET" || method === "HEAD";
    const found = isRead ? await answerTo(url.split("?")[0] ?? "") : undefined;
    const { status, type, body } =
      found ??
      (isRead
        ? { status: 404, type: "text/plain", body: "This page does not exist.\n" }
        : { status: 405, type: "text/plain", body: "Only GET is answered.\n" });
    response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
  };
  const server = createServer({ requestTimeout, maxHeaderSize: 16_384 }, (request, response) =>
    guarded(answer, (error) => {
      reportFailure(error);
      response.destroy();
    })(request, response),
  );
  server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    // Later, a connection could not be accepted, and its client tries again.
    server.on("error", reject).listen(port, host, resolve);
  }).catch((error: unknown) => {
    throw listenError(error, host, port, option);
  });
  server.unref();
  const address = server.address();
  const chosen = typeof address === "object" ? address?.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${chosen}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
