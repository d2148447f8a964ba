import { createPace, type Pace } from "../../../base/turns/pace.js";
import type { World } from "../../../base/world.js";

/** Limits on the requests to a node. Each request of a batch counts, and so does each repetition. */
export interface RequestLimits {
  /** Maximum number of requests per second. Default: no limit. */
  readonly requestsPerSecond?: number | undefined;
  /** Maximum number of requests. All further ones fail with a `RequestLimitError`. Default: no limit. */
  readonly maxRequests?: number | undefined;
}

/** All requests that were allowed have been sent. It is no `ChainError`, because the node is not to blame. */
export class RequestLimitError extends Error {
  override readonly name = "RequestLimitError";

  /** @param maxRequests how many were allowed */
  constructor(maxRequests: number) {
    super(
      `the limit of ${maxRequests} ${maxRequests === 1 ? "request" : "requests"} to the node was reached`,
    );
  }
}

/** A batch has at most the requests of this part of a second, so that batches keep to the rate as well. */
const batchesPerSecond = 10;

/** How many requests may still be sent to a node, and how fast. */
export class RequestBudget {
  readonly #maxRequests: number;
  readonly #pace: Pace | undefined;
  readonly #mostAtOnce: number;
  #taken = 0;

  constructor({ requestsPerSecond, maxRequests }: RequestLimits, world: Pick<World, "now" | "sleep">) {
    this.#maxRequests = maxRequests ?? Number.POSITIVE_INFINITY;
    this.#pace = requestsPerSecond === undefined ? undefined : createPace(requestsPerSecond, world);
    this.#mostAtOnce = Math.max(
      1,
      Math.floor((requestsPerSecond ?? Number.POSITIVE_INFINITY) / batchesPerSecond),
    );
  }

  /**
   * Takes requests from the budget, and waits until they may be sent together.
   * @param wanted at least 1
   * @returns how many may be sent: from 1 to `wanted`
   * @throws RequestLimitError when none is left; the error of the wait when the user interrupts it
   */
  async take(wanted: number): Promise<number> {
    const requests = Math.min(wanted, this.#mostAtOnce, this.#maxRequests - this.#taken);
    if (requests <= 0) throw new RequestLimitError(this.#maxRequests);
    this.#taken += requests;
    await this.#pace?.(requests);
    return requests;
  }
}
