import { UsageError } from "./usage/usage-error.js";

/** The highest rate of requests per second that users may choose. */
const fastest = 1_000;

/** @param given the value of `--requests-per-second` @throws UsageError for an impossible rate */
export function checkRequestRate(given: number | undefined): void {
  if (given !== undefined && !(given >= 0.01 && given <= fastest))
    throw new UsageError(`--requests-per-second must be a number from 0.01 to ${fastest}.`);
}
