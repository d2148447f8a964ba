import type { Deployment } from "../../store/deployments/deployments.js";

/** The result of looking up a name and version of a subgraph, or a deployment id. */
export type LookedUp =
  | {
      readonly kind: "found";
      readonly deployment: Deployment;
      /** Whether it stays unindexed until a user resumes it. */
      readonly isPaused: boolean;
    }
  /** No subgraph has this name; these are all names. */
  | { readonly kind: "unknown-name"; readonly names: readonly string[] }
  /** The subgraph has only these versions and tags. */
  | { readonly kind: "unknown-version"; readonly versions: readonly string[] }
  /** Several projects have it, with different builds. */
  | { readonly kind: "ambiguous"; readonly builds: readonly string[] }
  /** Its entities cannot be followed. */
  | { readonly kind: "unreadable"; readonly why: string };

/** The subgraphs in a database. */
export interface SubgraphCatalog {
  /**
   * Looks a subgraph up.
   * @param version a version or a tag; absent for a deployment id
   * @throws DatabaseError
   */
  find(name: string, version: string | undefined): Promise<LookedUp>;
}

/** The reason why subgraphs cannot be looked up. */
export interface UnreadSubgraphs {
  /** Such as `no database is given`. */
  readonly why: string;
  /** What to do; if absent, the advice is to name a database. */
  readonly hint?: string | undefined;
}
