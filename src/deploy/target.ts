import type { Build } from "../subgraph/build.js";

/** One subgraph to be deployed. Several chains are several of them. */
export interface DeployRequest {
  /** `pools-base` */
  readonly name: string;
  /** `1.0.0` */
  readonly version: string;
  /** As it was built; what follows is applied by the target. */
  readonly build: Build;
  /** First block of every data source; together with `graftFrom` also the block to graft at. */
  readonly startBlock?: number | undefined;
  /** A deployed subgraph whose entities are taken over, up to `startBlock` or else to its latest block. */
  readonly graftFrom?: SubgraphVersion | undefined;
  /** Leaves out the graft that the manifest asks for. */
  readonly removeGraft: boolean;
  readonly description?: string | undefined;
}

/** A subgraph's name and version, or a tag in the version's place. */
export interface SubgraphVersion {
  readonly name: string;
  readonly version: string;
}

/** A deployment at its target. */
export interface Deployment {
  /** IPFS hash of the manifest; absent when the target does not say. */
  readonly deploymentId: string | undefined;
  /** Where it is queried; absent when the target does not say. */
  readonly queryUrl: string | undefined;
  /** Where it can be changed without deploying again: what describes it now, empty for nothing. */
  readonly description?: string | undefined;
}

/** How a deployment is doing. */
export interface DeploymentStatus {
  readonly health: "healthy" | "unhealthy" | "failed" | "unknown";
  readonly synced: boolean;
  /** Whether somebody has stopped it for a while. */
  readonly paused?: boolean | undefined;
  /** The last block indexed; absent before the first. */
  readonly block?: number | undefined;
  /** The chain's newest block, as the target knows it. */
  readonly head?: number | undefined;
  /** Why indexing cannot go on; foreign text. */
  readonly fatalError?: string | undefined;
  /** The handler in which that was, when the target says it; foreign text. */
  readonly failedHandler?: string | undefined;
}

/** What a target says while it works: `uploading` goes from 0 to `total`. */
export interface DeployProgress {
  readonly step: "uploading" | "deploying";
  /** Bytes or files, the same unit in both. */
  readonly done: number;
  readonly total: number;
}

/** A place where subgraphs run. Every method rejects with an error of the target's protocol when it refuses or is out of reach. */
export interface DeployTarget {
  /** For people: `the API at https://api.example.com`. */
  readonly label: string;
  /**
   * Finds out, without asking anybody, whether the target would refuse this for what it is.
   * @throws BundleError when it would
   */
  check(request: DeployRequest): Promise<void>;
  /**
   * The deployment id that this request will have, computed here; `undefined` when only the target can know it.
   */
  expectedId(request: DeployRequest): Promise<string | undefined>;
  /** What is deployed under this name and version. */
  find(subgraph: SubgraphVersion): Promise<Deployment | undefined>;
  /** Deploys. Not repeated by itself: after a failure it may or may not have happened, which `find` tells. */
  deploy(request: DeployRequest, onProgress: (progress: DeployProgress) => void): Promise<Deployment>;
  /** Makes a tag point to a deployed version, wherever it pointed before. */
  tag(subgraph: SubgraphVersion, tag: string): Promise<void>;
  /** Changes the description of a deployed version; absent where it is a part of what is deployed. */
  describe?(subgraph: SubgraphVersion, description: string): Promise<void>;
  /** How a deployed version is doing; `undefined` when the target knows nothing of it yet. */
  status(subgraph: SubgraphVersion, deployment: Deployment): Promise<DeploymentStatus | undefined>;
}
