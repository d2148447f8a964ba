import type { ChainNode } from "../../figures/chain-nodes.js";
import { type Html, html } from "../../http/html.js";
import { digits, nodeWords } from "../parts.js";
import { agoOf, sinceOf } from "../since.js";

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
    const tone = state.kind === "stuck" ? "soft" : "bad";
    return html`<span class="state ${tone}">${network}</span> <strong>${nodeWords[state.kind]}</strong>${since}${block}`;
  }
  const age = headAt !== undefined && html` <span class="soft">${agoOf(headAt, now)}</span>`;
  return html`<span class="state good">${network}</span>${block}${age}`;
}
