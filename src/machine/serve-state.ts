import type { IncomingMessage, ServerResponse } from "node:http";
import { listenError } from "../base/listen-error.js";
import { openSmallServer, type SmallServer } from "./small-server.js";

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
): Promise<SmallServer> {
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
  const limits = { requestTimeout, maxHeaderSize: 16_384, mostConnections };
  const server = await openSmallServer({ host, port }, limits, answer).catch((error: unknown) => {
    throw listenError(error, host, port, option);
  });
  server.unref();
  return server;
}
