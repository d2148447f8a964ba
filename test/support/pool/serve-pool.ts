import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Unanswered } from "./faults.js";
import type { Pool } from "./pool.js";

/** A pool as an HTTP server. */
export interface PoolServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Lets a pool answer on a free port of the loop-back interface. A broken exchange breaks the connection. A request
 * without an answer stays open.
 */
export async function servePool(pool: Pool): Promise<PoolServer> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    try {
      const answer = await pool.fetch("", { body: Buffer.concat(pieces).toString() });
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    } catch (error) {
      // As in the pool: a connection that breaks, or one that never gets an answer.
      if (!(error instanceof Unanswered)) response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
