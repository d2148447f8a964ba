import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpWorld } from "../../../src/base/world.js";
import { createNodeHttp } from "../../../src/node/world.js";

/** A server of a test on the loop-back interface. */
export interface TestServer {
  readonly url: string;
  /** Requests so far, those under way included. */
  readonly count: () => number;
  stop(): Promise<void>;
}

/** Starts a server that does with each request, counted from 1, what the function does. */
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

/** A world with the real network in which waiting takes no time. */
export interface FastHttpWorld extends HttpWorld {
  /** What was waited for, in milliseconds. */
  readonly waits: number[];
}

/** `time` is when it begins, in milliseconds since 1970; `random` is chance. Timeouts go by the real clock. */
export function fastHttpWorld(
  options: { time?: number; random?: number; signal?: AbortSignal } = {},
): FastHttpWorld {
  const waits: number[] = [];
  let time = options.time ?? Date.UTC(2026, 0, 1);
  return {
    ...createNodeHttp(options.signal),
    waits,
    now: () => time,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      time += milliseconds;
    },
    random: () => options.random ?? 0.5,
  };
}

/** The bytes that a request brings. */
export async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** The error of a promise that is to be rejected. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => "fulfilled",
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error("It did not fail");
}
