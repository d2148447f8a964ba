import { DeterministicError } from "../errors.js";
import type { HandlerFailure } from "./failure.js";

/** As many as graph-node tells of. */
const most = 1_000;

/**
 * Whether indexing can go on after a failure, if the subgraph wants that: only what a mapping itself did wrong is borne,
 * not what graph-node would try again for ever, or not begin.
 */
export function isBearable({ error, isDeterministic }: HandlerFailure): boolean {
  return isDeterministic && error instanceof DeterministicError;
}

/** Handlers that failed in blocks that were written without what they did: the first 1,000, in their order. */
export class BorneFailures {
  #all: readonly HandlerFailure[] = [];

  get all(): readonly HandlerFailure[] {
    return this.#all;
  }

  /** Adds those of a block that was written. */
  add(failures: readonly HandlerFailure[]): void {
    if (failures.length > 0) this.#all = [...this.#all, ...failures].slice(0, most);
  }

  /** Forgets those of blocks that were taken back. */
  dropAfter(block: number): void {
    this.#all = this.#all.filter((failure) => failure.block <= block);
  }
}
