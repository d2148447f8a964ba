/**
 * What a server counts while it works. Nothing here is a user's text, so that there are only so many series: routes are
 * those that were declared, networks those that have nodes, deployments those that are hosted.
 */
export interface Meters {
  /** A request was answered. @param route as it was declared: `/health`; `none` where there is none */
  answered(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /**
   * A query was answered: from memory, with somebody who asked the same just then, or by the engine; or it was refused,
   * since its client has had too much work done.
   */
  queried(deployment: string, from: "memory" | "shared" | "engine" | "refused"): void;
  /** A node was sent a request, which may hold many calls. */
  askedNode(network: string, outcome: NodeOutcome, seconds: number): void;
  /** Calls of JSON-RPC were answered: from memory, with somebody who asked the same just then, or by a node. */
  called(network: string, from: "memory" | "shared" | "node", calls: number): void;
  /** An event was sent to a receiver once. */
  delivered(outcome: "delivered" | "retried" | "failed", seconds: number): void;
}

/** What came of a request to a node: an answer, too many requests, another refusal, or nothing of use. */
export type NodeOutcome = "answered" | "limited" | "refused" | "away";
