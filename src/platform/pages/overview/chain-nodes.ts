import type { HostedStatus, NetworkReading, NodeState } from "../../../hosting/engine.js";
import { type Html, html } from "../../http/html.js";
import { digits, nodeWords } from "../parts.js";
import { agoOf, sinceOf } from "../since.js";

/** The node of a chain. */
export interface ChainNode {
  readonly network: string;
  /** The last known block, and when it was first seen, in milliseconds since 1970. */
  readonly head?: number | undefined;
  readonly headAt?: number | undefined;
  readonly state?: NodeState | undefined;
}

/**
 * The nodes of chains, those with problems first.
 * @param readings what engines say of their own nodes
 * @param statuses of the subgraphs on these chains, for nodes of engines that say nothing of them
 */
export function chainNodes(
  readings: readonly NetworkReading[],
  statuses: readonly (readonly [network: string, status: HostedStatus])[],
): readonly ChainNode[] {
  const found = new Map<string, ChainNode>();
  const wanted = new Set(statuses.map(([network]) => network));
  for (const reading of readings) if (wanted.has(reading.network)) found.set(reading.network, reading);
  for (const [network, { nodeState: state, chainHeadBlock: head }] of statuses) {
    const known = found.get(network);
    const isNews = !known || (state !== undefined && known.state === undefined);
    if (isNews && (head !== undefined || state)) found.set(network, { head, ...known, network, state });
  }
  const nodes = [...found.values()].sort((one, other) => (one.network < other.network ? -1 : 1));
  return [...nodes.filter(({ state }) => state), ...nodes.filter(({ state }) => !state)];
}

/** Nodes in one line each, with the age of the chain's head. @param now milliseconds since 1970 */
export function nodeList(nodes: readonly ChainNode[], now: number): Html | undefined {
  if (nodes.length === 0) return undefined;
  return html`<ul class="chains" aria-label="Nodes of the chains">
${nodes.map((node) => html`<li id="chain-${node.network}">${nodeLine(node, now)}</li>\n`)}</ul>`;
}

function nodeLine({ network, head, headAt, state }: ChainNode, now: number): Html {
  const block = head !== undefined && html` <span class="soft number">block ${digits(head)}</span>`;
  if (state) {
    const since = state.since !== undefined && html` ${sinceOf(state.since, now)}`;
    return html`<span class="state bad">${network}</span> <strong>${nodeWords[state.kind]}</strong>${since}${block}`;
  }
  const age = headAt !== undefined && html` <span class="soft">${agoOf(headAt, now)}</span>`;
  return html`<span class="state good">${network}</span>${block}${age}`;
}
