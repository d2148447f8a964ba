import { ApiProblem } from "../../src/api/answers/problem.js";
import { createManagementApi, type ManagementApi } from "../../src/api/management-api.js";
import { type ProjectOptions, type ProjectServer, useProjects } from "../support/server/project-server.js";
import type { FastWorld } from "../support/worlds.js";
import { failure, fastWorld } from "../web/http/harness.js";

/** A project on a platform, and a client for it. */
export interface Pair {
  readonly server: ProjectServer;
  readonly api: ManagementApi;
  readonly world: FastWorld;
  /** The lines that `--verbose` would show, and the reasons for retries. */
  readonly lines: string[];
  /** Creates a second client of the same server. */
  client(options: { token?: string; url?: string; timeout?: number }): ManagementApi;
}

/**
 * Makes the tests of a file share a platform. Call it outside of tests.
 * @returns a function that creates a project with a client for one test
 */
export function usePairs(): (options?: ProjectOptions) => Promise<Pair> {
  const project = useProjects();
  return async (options) => {
    const server = await project(options);
    const world = fastWorld();
    const lines: string[] = [];
    const client: Pair["client"] = ({ token = server.token, url = server.url, timeout }) =>
      createManagementApi({
        url,
        token,
        world,
        timeout,
        onRequest: (line) => lines.push(line),
        onRetry: (why, wait) => lines.push(`${why}; again in ${wait} ms`),
      });
    return { server, world, lines, client, api: client({}) };
  };
}

/** The problem that a rejected call throws. */
export async function problemOf(promise: Promise<unknown>): Promise<ApiProblem> {
  const error = await failure(promise);
  if (error instanceof ApiProblem) return error;
  throw error;
}
