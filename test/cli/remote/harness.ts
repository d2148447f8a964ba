import { onTestFinished } from "vitest";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { type ManagementServer, startManagementServer } from "../../support/management-server.js";
import type { ManagementOptions } from "../../support/management-state.js";
import { graphloom } from "../harness.js";
import { command, type Ended, home, type ProcessOptions } from "../process.js";

export const token = "tok-5f0c1e-secret";

/** How a command line is run in this process. */
export type RunOptions = Omit<ProcessOptions, "onPrint">;

/** A server, and the command that talks to it. */
export interface Api {
  readonly server: ManagementServer;
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

/** Starts a server for one test. */
export async function api(options: Partial<ManagementOptions> = {}): Promise<Api> {
  const server = await startManagementServer({ token, ...options });
  onTestFinished(() => server.stop());
  const folder = home();
  const environment = { HOME: folder, GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: token };
  let seen = 0;
  return {
    server,
    home: folder,
    run: (line, more = {}) => inProcess(line, { cwd: folder, ...more, env: { ...environment, ...more.env } }),
    runShipped: (line, more = {}) =>
      command(line.split(" ").filter(Boolean), {
        cwd: folder,
        ...more,
        env: { ...environment, ...more.env },
      }),
    arrived() {
      const lines = server.received
        .slice(seen)
        .map(({ method, path }) => `${method} ${path.replace("/api/v1", "")}`);
      seen = server.received.length;
      return lines;
    },
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
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    if (answer.status !== 201) throw new Error(await answer.text());
  }
  arrived();
}
