import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type FastWorld, fastWorld as fasterWorld } from "../../support/worlds.js";

/** A test server on the loopback interface. */
export interface TestServer {
  readonly url: string;
  /** The number of requests so far, including unfinished ones. */
  readonly count: () => number;
  stop(): Promise<void>;
}

/** Starts a server that passes each request to a function, with its number from 1. */
export async function serve(
  handle: (request: IncomingMessage, response: ServerResponse, count: number) => void,
): Promise<TestServer> {
  let count = 0;
  const server = createServer((request, response) => handle(request, response, ++count));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = await serve(() => {});
  await server.stop();
  return Number(new URL(server.url).port);
}

/** A world in 2026 in which waiting takes no time and every random number is 0.5. */
export function fastWorld(options: Parameters<typeof fasterWorld>[0] = {}): FastWorld {
  return fasterWorld({ time: Date.UTC(2026, 0, 1), random: 0.5, ...options });
}

/** The bytes of a request's body. */
export async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** The error that a promise is rejected with. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => "fulfilled",
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error("the promise was not rejected");
}
