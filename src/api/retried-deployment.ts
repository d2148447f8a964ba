import type { Deployment } from "./contract.js";

/** A deployment as our own servers report it. Other servers report neither retries nor why nothing is to be indexed. */
export interface RetriedDeployment extends Deployment {
  /** When the block first failed, in RFC 3339 format. */
  readonly failing_since?: string;
  readonly attempts?: number;
  /** A sentence that says since when the chain has produced no blocks. The subgraph is not at fault. */
  readonly idle_chain?: string;
  /** A sentence that says which source of a composed subgraph has stopped. The subgraph is not at fault. */
  readonly idle_source?: string;
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

/**
 * Reads the server's sentences about what brings no new blocks, though the subgraph is not at fault: its chain, or a
 * subgraph that is its source.
 * @returns each sentence with the word for what it is about
 */
export function idlenessOf(
  deployment: RetriedDeployment | undefined,
): readonly (readonly ["chain" | "source", string])[] {
  // The contract lacks these fields, so they are unchecked.
  const { idle_chain: chain, idle_source: source }: Readonly<Record<string, unknown>> = { ...deployment };
  return [
    ...(typeof chain === "string" ? [["chain", chain] as const] : []),
    ...(typeof source === "string" ? [["source", source] as const] : []),
  ];
}
