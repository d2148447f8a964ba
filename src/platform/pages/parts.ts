import type { HostedStatus } from "../../hosting/engine.js";
import { type Html, html, linesOf } from "../http/html.js";
import { percentOf } from "../subgraphs/progress.js";
import { restsNow } from "../subgraphs/rests-now.js";
import type { SubgraphVersion } from "../subgraphs/versions.js";
import type { Draft } from "./draft.js";
import type { PendingBuild } from "./views.js";

/** A number with its digits grouped. */
export function digits(value: number | bigint): string {
  return value.toLocaleString("en-US");
}

export const nodeWords = {
  away: "node unavailable",
  stuck: "no new blocks",
  behind: "node behind",
  "other-chain": "node of another chain",
} as const;

/** The state of a subgraph, in a word or two. */
export function stateOf(entry: SubgraphVersion, status: HostedStatus | undefined): Html {
  if (status?.health === "failed") return html`<span class="state bad">failed</span>`;
  if (restsNow(entry.isPaused, status)) return html`<span class="state soft">paused</span>`;
  if (status?.engineState) return html`<span class="state warn">engine unavailable</span>`;
  if (status?.hold?.kind === "unassigned") return html`<span class="state warn">not assigned</span>`;
  if (!status) return html`<span class="state soft">starting</span>`;
  if (status.nodeState) return html`<span class="state warn">${nodeWords[status.nodeState.kind]}</span>`;
  if (status.waitsFor !== undefined) return html`<span class="state warn">waiting</span>`;
  if (status.health === "unhealthy") return html`<span class="state warn">with errors</span>`;
  const { startBlock, headBlock = -1, chainHeadBlock = startBlock } = status;
  if (headBlock < startBlock && chainHeadBlock < startBlock) {
    return html`<span class="state soft">waiting for block ${digits(startBlock)}</span>`;
  }
  if (status.health === "unknown") return html`<span class="state soft">starting</span>`;
  return status.isSynced
    ? html`<span class="state good">synced</span>`
    : html`<span class="state busy">catching up</span>`;
}

/** The progress bar, with its value for screen readers. */
export function progressOf(status: HostedStatus | undefined): Html | undefined {
  const percent = status && percentOf(status);
  if (percent === undefined) return undefined;
  const shown = Math.floor(percent * 10) / 10;
  return html`<progress max="100" value="${shown}" aria-label="Progress">${shown} %</progress>`;
}

/** Why a subgraph waits, or differs from the requested state. */
export function reasonsOf({ nodeState, engineState, hold, waitsFor }: HostedStatus): readonly string[] {
  const reasons = [nodeState?.why, engineState?.why, hold?.why, waitsFor];
  return [...new Set(reasons.flatMap((why) => (why === undefined ? [] : [why])))];
}

/** Blocks, lag and speed in one line. */
export function figuresOf(status: HostedStatus | undefined): Html | undefined {
  if (!status) return undefined;
  const { headBlock, chainHeadBlock, handlersPerSecond, nodeState } = status;
  const lag =
    headBlock !== undefined && chainHeadBlock !== undefined && Math.max(0, chainHeadBlock - headBlock);
  return html`<p class="row small soft">
<span>${headBlock === undefined ? "no block yet" : `block ${digits(headBlock)}`}${
    chainHeadBlock !== undefined && html` of ${digits(chainHeadBlock)}`
  }</span>
${lag !== false && lag > 0 && !nodeState && html`<span>${digits(lag)} blocks behind</span>`}
${reasonsOf(status).map((why) => html`<span class="warn">${why}</span>`)}
${status.idleChain && html`<span>${status.idleChain.why}</span>`}
${status.idleSource !== undefined && html`<span>${status.idleSource}</span>`}
${handlersPerSecond !== undefined && Math.round(handlersPerSecond) > 0 && html`<span>${digits(Math.round(handlersPerSecond))} events/s</span>`}
</p>`;
}

/** The progress of the build of an edit, or its error. */
export function changeOf(change: PendingBuild | undefined): Html | undefined {
  if (!change) return undefined;
  const { headBlock, chainHeadBlock, fatalError } = change.status ?? {};
  if (fatalError) {
    return html`<p class="small bad">Change: ${fatalError.isRetried ? "fails" : "stopped"}${fatalError.block !== undefined && html` at block ${digits(fatalError.block)}`}: ${fatalError.message.slice(0, 300)}. The previous build still answers queries.</p>`;
  }
  const place =
    headBlock === undefined
      ? "starting"
      : html`catching up, block ${digits(headBlock)}${chainHeadBlock !== undefined && html` of ${digits(chainHeadBlock)}`}`;
  return html`<p class="small soft">Change: ${place}</p>${progressOf(change.status)}`;
}

/** The errors of a configuration under development. */
export function mistakesOf(draft: Draft | undefined): Html | undefined {
  const mistakes = draft?.mistakes() ?? "";
  if (mistakes === "") return undefined;
  return html`<div class="notice bad" id="mistakes" role="alert"><strong>The configuration has errors. The previous build still answers queries.</strong>
<pre>${linesOf(mistakes)}</pre></div>`;
}

/** A table that can be wider than the page. */
export function wideTable(head: readonly Html[], rows: readonly Html[], label: string, kind = ""): Html {
  return html`<div class="wide ${kind}" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${head}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`;
}

/** An action that requires a confirmation. Works without a script. */
export function confirmed(step: {
  /** Unique within the page. */
  readonly id: string;
  readonly word: string;
  /** The action with its object. */
  readonly label: string;
  /** The consequences of the action. */
  readonly question: string;
  readonly action: string;
  readonly fields?: Html;
  /** Whether it is shown at once, because it was refused before. */
  readonly isOpen?: boolean;
}): Html {
  return html`<details${step.isOpen && html` open`} class="confirm" id="${step.id}"><summary class="button" aria-label="${step.label}">${step.word}</summary>
<form method="post" action="${step.action}">${step.fields}<p>${step.question}</p><button>${step.label}</button></form></details>`;
}

/** The date of a time. */
export function dayOf(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 10)}</time>`;
}
