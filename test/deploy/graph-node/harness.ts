import { afterEach, beforeEach } from "vitest";
import type { DeployRequest } from "../../../src/deploy/target.js";
import { createNodeWorld } from "../../../src/machine/world.js";
import type { Build } from "../../../src/subgraph/build.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import {
  type GraphNodeDouble,
  type GraphNodeOptions,
  startGraphNodeDouble,
} from "../../support/network/graph-node-double.js";
import { type IpfsDouble, startIpfsDouble } from "../../support/network/ipfs-double.js";

/** The real network, without pauses between attempts. */
export const world = { ...createNodeWorld(), sleep: async () => {} };

/** An IPFS node and a graph-node, started anew for each test of the file. */
export interface Servers {
  ipfs: IpfsDouble;
  node: GraphNodeDouble;
}

export function servers(options: GraphNodeOptions = {}): Servers {
  const both = {} as Servers;
  beforeEach(async () => {
    both.ipfs = await startIpfsDouble();
    both.node = await startGraphNodeDouble(both.ipfs, options);
  });
  afterEach(async () => {
    await Promise.all([both.ipfs.stop(), both.node.stop()]);
  });
  return both;
}

export function request(more: Partial<DeployRequest> = {}, build: Build = sampleBuild()): DeployRequest {
  return { name: "pools", version: "1.0.0", build, removeGraft: false, ...more };
}
