import { onTestFinished } from "vitest";
import type { HostedStatus } from "../../../src/hosting/engine.js";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { type GraphNodeDouble, startGraphNodeDouble } from "../../support/network/graph-node-double.js";
import { type IpfsDouble, startIpfsDouble } from "../../support/network/ipfs-double.js";
import { freshStatus } from "../../support/server/hosting-double.js";
import { command, type Ended, home } from "../process.js";
import { type Api, inProcess, type RunOptions, useApi } from "../remote/harness.js";

/**
 * Like `useApi`, with commands that share a cache of compilations. These tests do not judge compilation;
 * other tests verify that the cache does not change results.
 */
export function useDeployApi(): ReturnType<typeof useApi> {
  return useApi(sharedCache);
}

/** Sets the status of each deployment before the API lists it. */
export function onceDeployed({ server }: Api, status: HostedStatus): void {
  server.rule(async (method, path) => {
    if (method !== "GET" || path !== "/api/v1/subgraphs") return undefined;
    for (const { name, version } of await server.versions()) await server.status(name, version, status);
    return undefined;
  });
}

/** The status of a deployment at the chain head. */
export const synced: HostedStatus = { ...freshStatus, isSynced: true, headBlock: 1_100 };

/** A graph-node with its IPFS node, and functions that run commands against them. */
export interface Node {
  readonly node: GraphNodeDouble;
  readonly ipfs: IpfsDouble;
  readonly home: string;
  /** Runs a command in this process, from the sources. */
  run(line: string, options?: RunOptions): Promise<Ended>;
  /** Runs a command of the shipped program as a process. */
  runShipped(line: string): Promise<Ended>;
}

/** Starts a graph-node for one test. Its addresses are appended to every command. */
export async function graphNode(networks: readonly string[] = ["mainnet"]): Promise<Node> {
  const ipfs = await startIpfsDouble();
  const node = await startGraphNodeDouble(ipfs, { networks, head: 30_000_000, step: 15_000_000 });
  for (const each of [ipfs, node]) onTestFinished(() => each.stop());
  const folder = home();
  const addresses = `--graph-node ${node.admin.url} --ipfs ${ipfs.url} --graph-node-status ${node.statusUrl}`;
  const environment = { HOME: folder, ...sharedCache };
  return {
    node,
    ipfs,
    home: folder,
    run: (line, more = {}) =>
      inProcess(`${line} ${addresses}`, { cwd: folder, ...more, env: { ...environment, ...more.env } }),
    runShipped: (line) =>
      command(`${line} ${addresses}`.split(" ").filter(Boolean), { cwd: folder, env: environment }),
  };
}
