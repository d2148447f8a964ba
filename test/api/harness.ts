import { createManagementApi, type ManagementApi } from "../../src/api/management-api.js";
import { ApiProblem } from "../../src/api/problem.js";
import {
  type ManagementOptions,
  type ManagementServer,
  startManagementServer,
} from "../support/management-server.js";
import type { FastWorld } from "../support/worlds.js";
import { failure, fastWorld } from "../web/http/harness.js";

export const TOKEN = "t0ken-of-the-project";

/** A server, and a client that talks to it. */
export interface Pair {
  readonly server: ManagementServer;
  readonly api: ManagementApi;
  readonly world: FastWorld;
  /** Lines that `--verbose` would show, and reasons of new attempts. */
  readonly lines: string[];
  /** Another client of the same server. */
  client(options: { token?: string; url?: string; timeout?: number }): ManagementApi;
}

/** Starts both. */
export async function startPair(options: Partial<ManagementOptions> = {}): Promise<Pair> {
  const server = await startManagementServer({ token: TOKEN, now: () => Date.UTC(2026, 0, 1), ...options });
  const world = fastWorld();
  const lines: string[] = [];
  const client: Pair["client"] = ({ token = TOKEN, url = server.url, timeout }) =>
    createManagementApi({
      url,
      token,
      world,
      timeout,
      onRequest: (line) => lines.push(line),
      onRetry: (why, wait) => lines.push(`${why}; again in ${wait} ms`),
    });
  return { server, world, lines, client, api: client({}) };
}

/** The problem with which a call is refused. */
export async function problemOf(promise: Promise<unknown>): Promise<ApiProblem> {
  const error = await failure(promise);
  if (error instanceof ApiProblem) return error;
  throw error;
}
