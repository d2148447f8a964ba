import type { Deployment } from "./contract.js";

/** A deployment as our own servers show it, with what other servers do not report: retries, and an idle chain. */
export interface RetriedDeployment extends Deployment {
  /** When the block first failed, in RFC 3339 format. */
  readonly failing_since?: string;
  /** How often it has failed. */
  readonly attempts?: number;
  /** That the chain makes no new blocks, and since when: a sentence. The subgraph is not at fault. */
  readonly idle_chain?: string;
}

/** When a block first failed, in milliseconds since 1970, and how often it has failed. */
export interface Retries {
  readonly failingSince: number;
  readonly attempts: number;
}

/**
 * Reads what a server reports about a failing block that it retries.
 * @returns `undefined` if it reports none, or not in our format
 */
export function retriesOf(deployment: RetriedDeployment | undefined): Retries | undefined {
  // The contract does not have these fields, so they have not been checked.
  const { failing_since: since, attempts }: Readonly<Record<string, unknown>> = { ...deployment };
  const failingSince = typeof since === "string" ? Date.parse(since) : Number.NaN;
  if (Number.isNaN(failingSince) || typeof attempts !== "number") return undefined;
  return Number.isSafeInteger(attempts) && attempts > 0 ? { failingSince, attempts } : undefined;
}

/** Reads the server's sentence about a chain that produces no new blocks. @returns `undefined` if it has none */
export function idleChainOf(deployment: RetriedDeployment | undefined): string | undefined {
  // The contract does not have this field, so it has not been checked.
  const { idle_chain: idle }: Readonly<Record<string, unknown>> = { ...deployment };
  return typeof idle === "string" ? idle : undefined;
}
