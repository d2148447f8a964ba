import { isRecord } from "../../base/json-value.js";
import { type LinkedBuild, linkBuild } from "../../subgraph/deployment/link-build.js";
import type { HostedBuild } from "../engine.js";

/** Facts about a build that graph-node should have. */
export interface WantedBuild {
  readonly linked: LinkedBuild;
  /** The first start block in its manifest. */
  readonly startBlock: number;
  readonly graft?: { readonly base: string; readonly block: number };
}

/** Reads a build. @throws BundleError */
export async function readWanted(build: Pick<HostedBuild, "read">): Promise<WantedBuild> {
  const read = await build.read();
  const { dataSources, graft } = read.manifest;
  const blocks = Array.isArray(dataSources) ? dataSources.map(startOf) : [];
  return {
    linked: linkBuild(read),
    startBlock: blocks.length === 0 ? 0 : Math.min(...blocks),
    ...(isRecord(graft) &&
      typeof graft.base === "string" &&
      typeof graft.block === "number" && { graft: { base: graft.base, block: graft.block } }),
  };
}

function startOf(dataSource: unknown): number {
  const source = isRecord(dataSource) && isRecord(dataSource.source) ? dataSource.source : {};
  const { startBlock } = source;
  return typeof startBlock === "number" && Number.isSafeInteger(startBlock) ? startBlock : 0;
}
