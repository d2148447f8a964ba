import type { Build } from "../subgraph/build.js";

/** One subgraph to deploy. A build of several chains is several requests. */
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
   * A deployed subgraph to graft on: its entities are taken over up to `startBlock`, by default up to the newest
   * block that can no longer be replaced.
   */
  readonly graftFrom?: SubgraphVersion | undefined;
  /** Drops the manifest's graft. */
  readonly removeGraft: boolean;
  readonly description?: string | undefined;
  /** Whether it can be queried with a token only, from the start. */
  readonly isPrivate?: boolean | undefined;
}

/** A subgraph's name and version; a tag may stand for the version. */
export interface SubgraphVersion {
  readonly name: string;
  readonly version: string;
}

/** A deployment at its target. */
export interface Deployment {
  /** IPFS hash of the manifest; absent when the target does not return it. */
  readonly deploymentId: string | undefined;
  /** Query URL; absent when the target does not return it. */
  readonly queryUrl: string | undefined;
  /** Current description, empty for none; absent where it cannot be changed without a deployment. */
  readonly description?: string | undefined;
  /** Whether everybody can query it; absent when the target does not return it. */
  readonly isPublic?: boolean | undefined;
  /** The last block that was taken over with a graft; absent without one, and when the target does not return it. */
  readonly graftBlock?: number | undefined;
  /** What the target said will come to nothing in it, or to a failure; foreign text, told by a deployment alone. */
  readonly warnings?: readonly string[] | undefined;
}

/** Indexing status of a deployment. */
export interface DeploymentStatus {
  readonly health: "healthy" | "unhealthy" | "failed" | "unknown";
  readonly synced: boolean;
  /** Whether indexing is paused. */
  readonly paused?: boolean | undefined;
  /** The last block indexed; absent before the first. */
  readonly block?: number | undefined;
  /** The chain head as the target sees it. */
  readonly head?: number | undefined;
  /** The first block to index, when the target returns it. */
  readonly startBlock?: number | undefined;
  /**
   * The error that stopped indexing, or is tried again: when the health is not `failed`, or it is known since when it fails;
   * foreign text.
   */
  readonly fatalError?: string | undefined;
  /** Of an error that is tried again: since when it fails, in milliseconds since 1970, when the target returns it. */
  readonly failingSince?: number | undefined;
  /** How often it has failed since then. */
  readonly attempts?: number | undefined;
  /** The handler that failed, when the target returns it; foreign text. */
  readonly failedHandler?: string | undefined;
  /** The newest of the errors that indexing goes on after; foreign text. */
  readonly lastError?: string | undefined;
}

/** Progress of a deployment: `uploading` goes from 0 to `total`. */
export interface DeployProgress {
  readonly step: "uploading" | "deploying";
  /** Bytes or files, the same unit in both. */
  readonly done: number;
  readonly total: number;
}

/**
 * Where subgraphs are deployed and run. Every method rejects with an error of the target's protocol when the
 * target refuses or is unreachable.
 */
export interface DeployTarget {
  /** Name for messages: `the API at https://api.example.com`. */
  readonly label: string;
  /**
   * Whether the target itself finds out that what is deployed again is the same: then nothing changes, and other
   * content is refused.
   */
  readonly tellsSame?: boolean;
  /** Whether a paused version is started over the management API. */
  readonly isManaged?: boolean;
  /**
   * Checks a request against the target's limits, offline.
   * @throws BundleError when the target would refuse it
   */
  check(request: DeployRequest): Promise<void>;
  /** Computes the deployment id of a request; `undefined` when only the target can know it. */
  expectedId(request: DeployRequest): Promise<string | undefined>;
  /** Finds the deployment of a name and version. */
  find(subgraph: SubgraphVersion): Promise<Deployment | undefined>;
  /** Deploys. Never retried: after a failure the outcome may be unknown, and `find` tells. */
  deploy(request: DeployRequest, onProgress: (progress: DeployProgress) => void): Promise<Deployment>;
  /** Points a tag to a deployed version, creating or moving it. */
  tag(subgraph: SubgraphVersion, tag: string): Promise<void>;
  /**
   * Changes the description of a deployed version; absent where the description is part of the deployment.
   */
  describe?(subgraph: SubgraphVersion, description: string): Promise<void>;
  /** Closes the public endpoint of a deployed version and opens the private one; absent where there are none. */
  close?(subgraph: SubgraphVersion): Promise<Deployment>;
  /** The indexing status of a deployed version; `undefined` while the target does not know it. */
  status(subgraph: SubgraphVersion, deployment: Deployment): Promise<DeploymentStatus | undefined>;
  /**
   * The versions of each deployment, by deployment id; versions with the same content share one. Absent where
   * the target does not return it.
   */
  versions?(): Promise<ReadonlyMap<string, readonly SubgraphVersion[]>>;
}
