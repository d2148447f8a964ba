import { spawn } from "node:child_process";
import { startDouble } from "../../../support/network/double-server.js";
import { freePorts } from "../../../support/servers/java-server.js";
import { until } from "../../../support/until.js";

/** A running graph-node that indexes builds. */
export interface Gnd {
  /** Asks its status API. @throws Error with its output if it has ended */
  // biome-ignore lint/suspicious/noExplicitAny: any query
  status(query: string): Promise<any>;
  stop(): Promise<void>;
}

/**
 * Starts `gnd dev`.
 * @param program its path
 * @param folder contains a folder for each build: `<n>/subgraph.yaml`
 * @param postgres the address of an empty database
 */
export async function startGnd(
  program: string,
  folder: string,
  {
    builds,
    rpc,
    postgres,
  }: { readonly builds: readonly string[]; readonly rpc: string; readonly postgres: string },
): Promise<Gnd> {
  const [http, index, admin, metrics] = await freePorts(4);
  // At its start, it looks for a server of IPFS.
  const ipfs = await startDouble(() => ({ status: 200, body: '{"Version":"0"}', type: "application/json" }));
  const ports = ["--http-port", `${http}`, "--index-node-port", `${index}`, "--admin-port", `${admin}`];
  const manifests = builds.map((build) => `${folder}/${build}/subgraph.yaml:${folder}/${build}`);
  const child = spawn(
    program,
    [
      "dev",
      ...ports,
      ...["--metrics-port", `${metrics}`, "--postgres-url", postgres],
      ...["--ethereum-rpc", `mainnet:${rpc}`, "--ipfs", ipfs.url],
      "--manifests",
      manifests.join(","),
    ],
    {
      cwd: folder,
      env: { ...process.env, GRAPH_DISABLE_FAIL_FAST: "true", GRAPH_LOG: process.env.GRAPH_LOG ?? "error" },
    },
  );
  let said = "";
  const keep = (chunk: unknown): void => {
    said = (said + String(chunk)).slice(-20_000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const end = (): void => void child.kill("SIGKILL");
  process.once("exit", end);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    async status(query) {
      const body = JSON.stringify({ query });
      const headers = { "content-type": "application/json" };
      const answer = await until(() => {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`gnd ended:\n${said}`);
        return fetch(`http://127.0.0.1:${index}/graphql`, { method: "POST", headers, body }).catch(
          () => undefined,
        );
      });
      return JSON.parse(await answer.text()).data;
    },
    async stop() {
      process.off("exit", end);
      child.kill("SIGKILL");
      await ended;
      await ipfs.stop();
    },
  };
}
