import type { Build } from "../subgraph/build.js";

/** One subgraph to deploy. A project with several chains needs one request per chain. */
export interface DeployRequest {
  /** `pools-base` */
  readonly name: string;
  /** `1.0.0` */
  readonly version: string;
  /** The build, unadjusted; the target applies the fields below. */
  readonly build: Build;
  /** First block of every data source; together with `graftFrom` also the block to graft at. */
  readonly startBlock?: number | undefined;
  /**
   * A deployed subgraph to graft onto: its entities are copied up to `startBlock`, by default up to the newest final
   * block.
   */
  readonly graftFrom?: SubgraphVersion | undefined;
  /** Whether to remove the manifest's graft. */
  readonly removeGraft: boolean;
  readonly description?: string | undefined;
  /** Whether queries require a token, from the start. */
  readonly isPrivate?: boolean | undefined;
}

/** A subgraph's name and version; a tag may stand for the version. */
export interface SubgraphVersion {
  readonly name: string;
  readonly version: string;
}

export interface Deployment {
  /** IPFS hash of the manifest; absent if the target does not return it. */
  readonly deploymentId: string | undefined;
  /** Query URL; absent if the target does not return it. */
  readonly queryUrl: string | undefined;
  /** The URL of its page in the target's dashboard; foreign text, absent if the target does not return it. */
  readonly pageUrl?: string | undefined;
  /** Current description, empty for none; absent if changing it requires a deployment. */
  readonly description?: string | undefined;
  /** Whether anyone can query it; absent if the target does not return it. */
  readonly isPublic?: boolean | undefined;
  /** The last block that a graft copied; absent without a graft, and when the target does not return it. */
  readonly graftBlock?: number | undefined;
  /** The target's warnings about parts that will fail or have no effect; foreign text, only returned by `deploy`. */
  readonly warnings?: readonly string[] | undefined;
}

export interface DeploymentStatus {
  readonly health: "healthy" | "unhealthy" | "failed" | "unknown";
  readonly synced: boolean;
  readonly paused?: boolean | undefined;
  /** The last block indexed; absent before the first. */
  readonly block?: number | undefined;
  /** The chain head as the target sees it. */
  readonly head?: number | undefined;
  /** The first block to index, when the target returns it. */
  readonly startBlock?: number | undefined;
  /**
   * The error that stopped indexing; foreign text. The block is retried if the health is not `failed`, or if
   * `failingSince` is present.
   */
  readonly fatalError?: string | undefined;
  /** Since when a retried block has failed, in milliseconds since 1970, when the target returns it. */
  readonly failingSince?: number | undefined;
  /** How many times it has failed since then. */
  readonly attempts?: number | undefined;
  /** The handler that failed, when the target returns it; foreign text. */
  readonly failedHandler?: string | undefined;
  /** The newest error after which indexing continued; foreign text. */
  readonly lastError?: string | undefined;
  /** The target's note that the chain or a source brings no new blocks, which is not an error; foreign text. */
  readonly idle?: string | undefined;
}

/** Progress of a deployment: `uploading` goes from 0 to `total`. */
export interface DeployProgress {
  readonly step: "uploading" | "deploying";
  /** Bytes or files; `total` uses the same unit. */
  readonly done: number;
  readonly total: number;
}

/**
 * Where subgraphs are deployed and run. Every method rejects with an error of the target's protocol if the target
 * refuses or is unreachable.
 */
export interface DeployTarget {
  /** Name for messages: `the API at https://api.example.com`. */
  readonly label: string;
  /**
   * Whether the target itself detects a repeated deployment: it keeps identical content and refuses different
   * content.
   */
  readonly tellsSame?: boolean;
  /** Whether the management API starts a paused version. */
  readonly isManaged?: boolean;
  /**
   * Checks a request against the target's limits, offline.
   * @throws BundleError if the target would refuse it
   */
  check(request: DeployRequest): Promise<void>;
  /** Computes the deployment id of a request; `undefined` if only the target can compute it. */
  expectedId(request: DeployRequest): Promise<string | undefined>;
  /** Finds the deployment of a name and version. */
  find(subgraph: SubgraphVersion): Promise<Deployment | undefined>;
  /** Deploys. Never retried: after a failure the outcome may be unknown; use `find` to determine it. */
  deploy(request: DeployRequest, onProgress: (progress: DeployProgress) => void): Promise<Deployment>;
  /** Points a tag to a deployed version, creating or moving it. */
  tag(subgraph: SubgraphVersion, tag: string): Promise<void>;
  /** Changes the description of a deployed version; absent if the description is part of the deployment. */
  describe?(subgraph: SubgraphVersion, description: string): Promise<void>;
  /** Closes the public endpoint of a deployed version and opens the private one; absent for targets without them. */
  close?(subgraph: SubgraphVersion): Promise<Deployment>;
  /** The indexing status of a deployed version; `undefined` if the target does not know it yet. */
  status(subgraph: SubgraphVersion, deployment: Deployment): Promise<DeploymentStatus | undefined>;
  /**
   * The versions of each deployment, by deployment id; versions with the same content share one. Absent if the target
   * does not return it.
   */
  versions?(): Promise<ReadonlyMap<string, readonly SubgraphVersion[]>>;
}
