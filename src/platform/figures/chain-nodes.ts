import type { HostedStatus, NetworkReading, NodeState } from "../../hosting/engine.js";

export interface ChainNode {
  readonly network: string;
  /** The last known block, and when it was first seen, in milliseconds since 1970. */
  readonly head?: number | undefined;
  readonly headAt?: number | undefined;
  /** The time of that block by the chain's own clock, in milliseconds since 1970. */
  readonly headTime?: number | undefined;
  readonly state?: NodeState | undefined;
}

/**
 * The nodes of chains, those with problems first.
 * @param readings the engines' reports about their own nodes
 * @param statuses the statuses of the subgraphs on these chains, for engines that do not report their nodes
 * @param more chains to include even without a subgraph
 */
export function chainNodes(
  readings: readonly NetworkReading[],
  statuses: readonly (readonly [network: string, status: HostedStatus])[],
  more: ReadonlySet<string> = new Set(),
): readonly ChainNode[] {
  const found = new Map<string, ChainNode>();
  const wanted = new Set([...more, ...statuses.map(([network]) => network)]);
  for (const reading of readings) if (wanted.has(reading.network)) found.set(reading.network, reading);
  for (const [network, { nodeState: state, chainHeadBlock: head }] of statuses) {
    const known = found.get(network);
    const isNews = !known || (state !== undefined && known.state === undefined);
    if (isNews && (head !== undefined || state)) found.set(network, { head, ...known, network, state });
  }
  const nodes = [...found.values()].sort((one, other) => (one.network < other.network ? -1 : 1));
  return [...nodes.filter(({ state }) => state), ...nodes.filter(({ state }) => !state)];
}
