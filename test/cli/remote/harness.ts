import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import {
  type ProjectOptions,
  type ProjectServer,
  token,
  useProjects,
} from "../../support/server/project-server.js";
import { graphloom } from "../harness.js";
import { command, type Ended, home, type ProcessOptions } from "../process.js";

export { token };

/** Options for running a command line in this process. */
export type RunOptions = Omit<ProcessOptions, "onPrint">;

/** A server, and commands that talk to it. */
export interface Api {
  readonly server: ProjectServer;
  readonly home: string;
  /**
   * Runs a command from the sources in this process, with the server's address and token in its environment. Arguments
   * are separated by spaces, or given one by one.
   */
  run(line: string | readonly string[], options?: RunOptions): Promise<Ended>;
  /** Runs the shipped program as a process in the same way. */
  runShipped(line: string, options?: ProcessOptions): Promise<Ended>;
  /** The requests since the last call: method and path below `/api/v1`. */
  arrived(): readonly string[];
}

/**
 * Lets the tests of a file share a platform. Call it outside of tests.
 * @param more environment variables for all commands
 * @returns a function that creates a project for one test
 */
export function useApi(
  more: Readonly<Record<string, string>> = {},
): (options?: ProjectOptions) => Promise<Api> {
  const project = useProjects();
  return async (options) => {
    const server = await project(options);
    const folder = home();
    const environment = {
      ...more,
      HOME: folder,
      GRAPHLOOM_API_URL: server.url,
      GRAPHLOOM_TOKEN: server.token,
    };
    let seen = 0;
    return {
      server,
      home: folder,
      run: (line, { env, ...others } = {}) =>
        inProcess(line, { cwd: folder, ...others, env: { ...environment, ...env } }),
      runShipped: (line, { env, ...others } = {}) =>
        command(line.split(" ").filter(Boolean), {
          cwd: folder,
          ...others,
          env: { ...environment, ...env },
        }),
      arrived() {
        const lines = server.received
          .slice(seen)
          .map(({ method, path }) => `${method} ${path.replace("/api/v1", "")}`);
        seen = server.received.length;
        return lines;
      },
    };
  };
}

/** Runs a command line in this process as `command` does in a new one. Without `stdin`, its input is empty. */
export async function inProcess(
  line: string | readonly string[],
  { cwd, env, stdin = "" }: RunOptions & { readonly cwd: string },
): Promise<Ended> {
  const { code, out, err } = await graphloom(cwd, line, { stdin, ...(env && { env }) });
  return { code, out, err };
}

/** Deploys a small subgraph without using the command line. */
export async function deployed({ server, arrived }: Api, name: string, ...versions: string[]): Promise<void> {
  for (const version of versions) {
    const form = new FormData();
    form.set("bundle", new Blob([zipBuild(sampleBuild())], { type: "application/zip" }), "bundle.zip");
    const answer = await fetch(`${server.url}/subgraphs/${name}/deployments/${version}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${server.token}` },
      body: form,
    });
    if (answer.status !== 201) throw new Error(await answer.text());
  }
  arrived();
}
