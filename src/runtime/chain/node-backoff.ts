import type { BackoffTimes } from "../../base/backoff.js";

/** Waits between questions to a node, or to a gateway, that could not answer. */
export const nodeBackoff: BackoffTimes = { first: 250, longest: 15_000 };
