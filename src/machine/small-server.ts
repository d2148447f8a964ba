import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from "node:http";
import { reportFailure } from "../base/failures.js";
import { guarded } from "../base/turns/guarded.js";

/** A small HTTP server that is open. */
export interface SmallServer {
  /** `http://127.0.0.1:40001` */
  readonly url: string;
  /** Lets the process end although the server is open. */
  unref(): void;
  /** Closes the server and all its connections. */
  close(): Promise<void>;
}

/** How much a small server takes. */
export interface SmallServerLimits
  extends Pick<ServerOptions, "maxHeaderSize" | "headersTimeout" | "requestTimeout"> {
  readonly mostConnections?: number;
}

/**
 * Opens an HTTP server for a few clients. A failure to answer is reported, and ends its connection.
 * @param port 0 chooses a free one
 * @throws the system's error if it cannot listen there
 */
export async function openSmallServer(
  { host, port }: { readonly host: string; readonly port: number },
  { mostConnections, ...limits }: SmallServerLimits,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<SmallServer> {
  const server = createServer(limits, (request, response) =>
    guarded(answer, (error) => {
      reportFailure(error);
      response.destroy();
    })(request, response),
  );
  if (mostConnections !== undefined) server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    // Later, a connection could not be accepted, and its client tries again.
    server.on("error", reject).listen(port, host, resolve);
  });
  const address = server.address();
  const chosen = typeof address === "object" ? address?.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${chosen}`,
    unref: () => void server.unref(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
