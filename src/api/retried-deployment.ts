import type { Deployment } from "./contract.js";

/** A deployment as our own servers show it, while a block of it fails and is tried again; others do not tell. */
export interface RetriedDeployment extends Deployment {
  /** Since when the block fails, as RFC 3339 writes it. */
  readonly failing_since?: string;
  /** How often it has failed. */
  readonly attempts?: number;
}

/** Since when a block fails, in milliseconds since 1970, and how often it has. */
export interface Retries {
  readonly failingSince: number;
  readonly attempts: number;
}

/**
 * What a server tells of a block that fails and is tried again.
 * @returns nothing when it tells of none, or not in our words
 */
export function retriesOf(deployment: RetriedDeployment | undefined): Retries | undefined {
  // They are not of the contract, and nobody has checked them.
  const { failing_since: since, attempts }: Readonly<Record<string, unknown>> = { ...deployment };
  const failingSince = typeof since === "string" ? Date.parse(since) : Number.NaN;
  if (Number.isNaN(failingSince) || typeof attempts !== "number") return undefined;
  return Number.isSafeInteger(attempts) && attempts > 0 ? { failingSince, attempts } : undefined;
}
