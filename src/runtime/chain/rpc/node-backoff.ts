import type { BackoffTimes } from "../../../base/turns/backoff.js";

/** Backoff between requests to a node or a gateway that could not answer. */
export const nodeBackoff: BackoffTimes = { first: 250, longest: 15_000 };
