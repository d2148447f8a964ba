import type { Deployment } from "./contract.js";

/** A deployment as our own servers report it. Other servers report neither retries nor an idle chain. */
export interface RetriedDeployment extends Deployment {
  /** When the block first failed, in RFC 3339 format. */
  readonly failing_since?: string;
  readonly attempts?: number;
  /** A sentence that says since when the chain has produced no blocks. The subgraph is not at fault. */
  readonly idle_chain?: string;
}

/** When a block first failed, in milliseconds since 1970, and how often it has failed. */
export interface Retries {
  readonly failingSince: number;
  readonly attempts: number;
}

/**
 * Reads what a server reports about a failing block that it retries.
 * @returns `undefined` if it reports nothing, or not in our format
 */
export function retriesOf(deployment: RetriedDeployment | undefined): Retries | undefined {
  // The contract lacks these fields, so they are unchecked.
  const { failing_since: since, attempts }: Readonly<Record<string, unknown>> = { ...deployment };
  const failingSince = typeof since === "string" ? Date.parse(since) : Number.NaN;
  if (Number.isNaN(failingSince) || typeof attempts !== "number") return undefined;
  return Number.isSafeInteger(attempts) && attempts > 0 ? { failingSince, attempts } : undefined;
}

/** Reads the server's sentence about a chain that produces no new blocks. @returns `undefined` if it has none */
export function idleChainOf(deployment: RetriedDeployment | undefined): string | undefined {
  // The contract lacks this field, so it is unchecked.
  const { idle_chain: idle }: Readonly<Record<string, unknown>> = { ...deployment };
  return typeof idle === "string" ? idle : undefined;
}
