import { afterEach } from "vitest";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { type ManagementServer, startManagementServer } from "../../support/management-server.js";
import type { ManagementOptions } from "../../support/management-state.js";
import { command, type Ended, home, type ProcessOptions } from "../process.js";

export const token = "tok-5f0c1e-secret";

/** A server, and the command that talks to it. */
export interface Api {
  readonly server: ManagementServer;
  readonly home: string;
  /** Runs a command with the server's address and token in its environment; words are separated by blanks. */
  run(line: string, options?: ProcessOptions): Promise<Ended>;
  /** What has arrived since the last time: method and path below `/api/v1`. */
  arrived(): readonly string[];
}

const started: ManagementServer[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

/** Starts a server for one test. */
export async function api(options: Partial<ManagementOptions> = {}): Promise<Api> {
  const server = await startManagementServer({ token, ...options });
  started.push(server);
  const folder = home();
  let seen = 0;
  return {
    server,
    home: folder,
    run: (line, more = {}) =>
      command(line.split(" ").filter(Boolean), {
        ...more,
        env: { HOME: folder, GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: token, ...more.env },
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
