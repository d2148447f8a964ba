import { DeterministicError } from "../errors.js";
import type { HandlerFailure } from "./failure.js";

/** As many as graph-node reports. */
const most = 1_000;

/**
 * Whether indexing can continue after a failure, if the subgraph allows it. Only mistakes of the mapping itself are
 * tolerated, not failures that graph-node would retry forever or reject at the start.
 */
export function isBearable({ error, isDeterministic }: HandlerFailure): boolean {
  return isDeterministic && error instanceof DeterministicError;
}

/** The failed handlers of blocks that were written without their changes: the first 1,000, in order. */
export class BorneFailures {
  #all: readonly HandlerFailure[] = [];

  get all(): readonly HandlerFailure[] {
    return this.#all;
  }

  /** Adds the failures of a written block. */
  add(failures: readonly HandlerFailure[]): void {
    if (failures.length > 0) this.#all = [...this.#all, ...failures].slice(0, most);
  }

  /** Removes the failures of reverted blocks. */
  dropAfter(block: number): void {
    this.#all = this.#all.filter((failure) => failure.block <= block);
  }
}
