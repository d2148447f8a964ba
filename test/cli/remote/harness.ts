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

/** How a command line is run in this process. */
export type RunOptions = Omit<ProcessOptions, "onPrint">;

/** A server, and the command that talks to it. */
export interface Api {
  readonly server: ProjectServer;
  readonly home: string;
  /**
   * Runs a command in this process, from the sources, with the server's address and token in its environment; words are
   * separated by blanks.
   */
  run(line: string, options?: RunOptions): Promise<Ended>;
  /** The same as a process, as it is shipped. */
  runShipped(line: string, options?: ProcessOptions): Promise<Ended>;
  /** What has arrived since the last time: method and path below `/api/v1`. */
  arrived(): readonly string[];
}

/**
 * Has the tests of a file share a platform. To be called outside of tests.
 * @param more environment variables of all commands
 * @returns what makes a project for one test
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

/** Runs a command line in this process like `command` does as another: nothing is piped in without `stdin`. */
export async function inProcess(
  line: string,
  { cwd, env, stdin = "" }: RunOptions & { readonly cwd: string },
): Promise<Ended> {
  const { code, out, err } = await graphloom(cwd, line, { stdin, ...(env && { env }) });
  return { code, out, err };
}

/** Deploys a small subgraph as another client would. */
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
