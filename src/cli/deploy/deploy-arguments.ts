import type { Optimization } from "../../compiler/asc/asc.js";
import type { WordArguments } from "../named/word-options.js";
import type { RemoteArguments } from "../remote/session.js";
import { checkDescription } from "../subgraph/description.js";
import { subgraphVersion, tagList } from "../subgraph/subgraph-version.js";
import { type CacheArguments, largestBlock, type ReportArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** The deployment target: the management API unless a graph-node is named. */
export interface TargetArguments extends RemoteArguments {
  readonly graphNode?: string | undefined;
  readonly ipfs?: string | undefined;
  readonly graphNodeStatus?: string | undefined;
}

/** How to deploy builds: options of `subgraph deploy` and of `subgraph init --deploy`. */
export interface DeploymentArguments extends TargetArguments {
  readonly description?: string | undefined;
  readonly tag?: string | undefined;
  readonly private: boolean;
  readonly skipDeployed: boolean;
  readonly wait: "none" | "indexing" | "synced";
  readonly output: "table" | "json";
  readonly color: boolean;
}

/** Arguments of `subgraph deploy`. */
export interface DeployArguments extends DeploymentArguments, ReportArguments, CacheArguments, WordArguments {
  readonly nameAndVersion: string;
  /** The word that names the subgraph to deploy. */
  readonly subgraph?: string | undefined;
  readonly path?: string | undefined;
  readonly fromAbi?: string | undefined;
  readonly fromIpfsHash?: string | undefined;
  readonly fromUrl?: string | undefined;
  readonly ipfsGateway: string;
  /** The token for the server that the deployment is downloaded from. */
  readonly fromToken?: string | undefined;
  readonly removeGraft: boolean;
  readonly startBlock?: number | undefined;
  readonly graftFrom?: string | undefined;
  readonly enableCallHandlers: boolean;
  readonly optimize: Optimization;
}

/** @throws UsageError for contradictory arguments */
export function checkDeployArguments(args: DeployArguments): void {
  const sources = [
    ["A subgraph", args.subgraph],
    ["--path", args.path],
    ["--from-abi", args.fromAbi],
    ["--from-ipfs-hash", args.fromIpfsHash],
    ["--from-url", args.fromUrl],
  ] as const;
  const [one, other] = sources.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (one !== undefined && other !== undefined)
    throw new UsageError(`${one} and ${other} cannot be combined.`);
  if (args.enableCallHandlers && args.fromAbi === undefined && args.subgraph === undefined)
    throw new UsageError("--enable-call-handlers requires a configuration: it changes the generated code.");
  for (const option of ["network", "networkFile"] as const)
    if (args[option] !== undefined && args.subgraph === undefined)
      throw new UsageError(
        `--${option === "network" ? option : "network-file"} requires a subgraph to build: graphloom subgraph deploy <name>/<version> <file or folder>`,
      );
  if (args.removeGraft && args.graftFrom !== undefined)
    throw new UsageError("--remove-graft and --graft-from cannot be combined.");
  if (args.graftFrom !== undefined) subgraphVersion(args.graftFrom);
  checkBlock(args.startBlock);
  checkDeployment(args);
}

/** @throws UsageError for contradictory arguments */
export function checkDeployment(args: DeploymentArguments): void {
  tagList(args.tag);
  checkDescription(args.description);
  if ((args.graphNode === undefined) !== (args.ipfs === undefined))
    throw new UsageError(
      "Deploying to a graph-node requires both --graph-node <admin address> and --ipfs <address>.",
    );
  if (args.private && args.graphNode !== undefined)
    throw new UsageError(
      "--private cannot be combined with --graph-node: a graph-node has only public endpoints.",
    );
  if (args.graphNodeStatus !== undefined && args.graphNode === undefined)
    throw new UsageError("--graph-node-status requires --graph-node.");
}

function checkBlock(block: number | undefined): void {
  if (block === undefined || (Number.isSafeInteger(block) && block >= 0 && block <= largestBlock)) return;
  throw new UsageError(`--start-block must be a whole number from 0 to ${largestBlock}.`);
}
