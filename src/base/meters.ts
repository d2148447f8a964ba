/** What answered a query, if anything did. */
export type AnsweredBy = "memory" | "shared" | "engine" | "refused" | "failed";

/**
 * A server's counters. Labels never contain users' text, so the number of series is bounded: routes are declared in
 * the code, networks have nodes, and deployments are hosted here.
 */
export interface Meters {
  /** A request was answered. @param route the declared route: `/health`; `none` without a route */
  answered(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /**
   * A query was answered: from memory, together with another client's identical query, or by the engine. Or it was
   * refused, because its client had used up its share of time or too many queries were waiting, or the engine failed.
   * @param seconds since the request arrived
   */
  queried(deployment: string, from: AnsweredBy, seconds: number): void;
  /**
   * A request, which may contain many calls, was sent to a node.
   * @param node protocol, host and port
   * @param why there was no answer, on one line and without keys; absent if it answered
   */
  askedNode(network: string, outcome: NodeOutcome, seconds: number, node: string, why?: string): void;
  /** JSON-RPC calls were answered: from memory, together with another client's identical calls, or by a node. */
  called(network: string, from: "memory" | "shared" | "node", calls: number): void;
  /** An attempt was made to deliver an event to a receiver. */
  delivered(outcome: "delivered" | "retried" | "failed", seconds: number): void;
  /** A file of a dataset was requested. @param bytes the size of the file, if it was created */
  madeFile(network: string, outcome: FileOutcome, seconds: number, bytes: number): void;
  /** A deployment has written blocks. Absent if no one counts that. */
  indexed?(blocks: IndexedBlocks): void;
  /** A pipeline has written rows to a sink. Absent if no one counts that. */
  moved?(rows: MovedRows): void;
}

/** Blocks of a deployment that were written together. */
export interface IndexedBlocks {
  readonly deployment: string;
  readonly network: string;
  /** The block before, which is higher than the last one after a reorganisation; `undefined` if there was none. */
  readonly after: number | undefined;
  /** `undefined` if all blocks were reverted. */
  readonly last: number | undefined;
  /** Since the write before, without waiting for new blocks. */
  readonly seconds: number;
}

/** Rows that a pipeline wrote to a sink within a moment. */
export interface MovedRows {
  /** The id of its project. */
  readonly project: string;
  readonly pipeline: string;
  readonly sink: string;
  readonly rows: number;
  readonly batches: number;
  /** From the start of the first batch to the end of the last one. */
  readonly seconds: number;
}

/** Meters that forward everything to each of the given ones. */
export function allMeters(meters: readonly Partial<Meters>[]): Meters {
  return {
    answered: (...counted) => meters.forEach((one) => void one.answered?.(...counted)),
    queried: (...counted) => meters.forEach((one) => void one.queried?.(...counted)),
    askedNode: (...counted) => meters.forEach((one) => void one.askedNode?.(...counted)),
    called: (...counted) => meters.forEach((one) => void one.called?.(...counted)),
    delivered: (...counted) => meters.forEach((one) => void one.delivered?.(...counted)),
    madeFile: (...counted) => meters.forEach((one) => void one.madeFile?.(...counted)),
    indexed: (...counted) => meters.forEach((one) => void one.indexed?.(...counted)),
    moved: (...counted) => meters.forEach((one) => void one.moved?.(...counted)),
  };
}

/** The outcome of the work on a file: it was created, it had too many blocks, the client left, or it failed. */
export type FileOutcome = "made" | "too-large" | "cancelled" | "failed";

/** The outcome of a request to a node: an answer, a rate limit, another refusal, or no usable answer. */
export type NodeOutcome = "answered" | "limited" | "refused" | "away";

/** Why a node did not answer a request. */
export interface NodeFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** On one line, without the keys of the node's address. */
  readonly why: string;
}
