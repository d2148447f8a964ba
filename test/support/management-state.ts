import type { Bundle } from "./management-bundle.js";

/** What tests may give the management server. */
export interface ManagementOptions {
  readonly token: string;
  /** What the token may do; `editor`. */
  readonly role?: "viewer" | "editor";
  readonly chains?: readonly string[];
  /** The most entries of a page, whatever is asked for; 50. */
  readonly pageSize?: number;
  /** The most entries of a log at once; 100. */
  readonly logPageSize?: number;
  readonly pipelines?: readonly TestPipeline[];
  /** The IPFS hash of what is deployed; a made-up one when left out. */
  readonly deploymentId?: (
    files: Map<string, Uint8Array>,
    fields: Readonly<Record<string, string>>,
  ) => string;
  /** Newest block of every chain; 1000 after the first one indexed when left out. */
  readonly head?: number;
  /** How many times a version has to be looked at until it is synced; 2. */
  readonly looks?: number;
  /** Milliseconds since 1970; the real clock when left out. */
  readonly now?: () => number;
}

export interface TestPipeline {
  readonly name: string;
  readonly errors: number;
}

export interface TestLogEntry {
  readonly text: string;
  readonly timestamp: number;
  readonly level: string;
}

/** A deployed version. Tests may change it. */
export interface TestVersion {
  readonly name: string;
  readonly version: string;
  readonly deploymentId: string;
  readonly createdAt: string;
  readonly bundle: Bundle;
  readonly startBlock: number;
  readonly fields: Readonly<Record<string, string>>;
  headBlock: number;
  chainHead: number;
  paused: boolean;
  fatalError: string | null;
  nonFatalErrors: string[];
  description: string | null;
  publicEnabled: boolean;
  privateEnabled: boolean;
  readonly logs: TestLogEntry[];
}

/** A name for a version. */
export interface TestTag {
  readonly name: string;
  readonly tag: string;
  target: string;
  description: string | null;
  publicEnabled: boolean;
  privateEnabled: boolean;
}

export interface TestWebhook {
  readonly id: string;
  readonly name: string;
  readonly webhook_url: string;
  readonly entity: string;
  readonly subgraph_name: string;
  readonly subgraph_version: string;
  readonly created_at: string;
  readonly secret: string;
}

/** Everything that the management server remembers. */
export interface ManagementState {
  readonly versions: TestVersion[];
  readonly tags: TestTag[];
  readonly webhooks: TestWebhook[];
}
