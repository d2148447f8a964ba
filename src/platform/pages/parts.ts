import type { SubgraphVersion } from "../catalog/versions.js";
import type { HostedStatus } from "../hosting/engine.js";
import { type Html, html } from "./html.js";
import { percentOf } from "./views.js";

/** The address of the page of a version or a tag. */
export function pageOf({ name, version }: Pick<SubgraphVersion, "name" | "version">): string {
  return `/dashboard/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
}

/** A number with its digits in groups. */
export function digits(value: number | bigint): string {
  return value.toLocaleString("en-US");
}

/** A word for how it goes. */
export function stateOf(entry: SubgraphVersion, status: HostedStatus | undefined): Html {
  if (status?.health === "failed") return html`<span class="state bad">failed</span>`;
  if (entry.isPaused) return html`<span class="state soft">paused</span>`;
  if (!status) return html`<span class="state soft">starting</span>`;
  if (status.health === "unhealthy") return html`<span class="state warn">indexing with errors</span>`;
  if (status.health === "unknown") return html`<span class="state soft">unknown</span>`;
  return status.isSynced
    ? html`<span class="state good">synced</span>`
    : html`<span class="state warn">indexing</span>`;
}

/** How far it is, for the eye and for those who listen. */
export function progressOf(status: HostedStatus | undefined): Html | undefined {
  const percent = status && percentOf(status);
  if (percent === undefined) return undefined;
  const shown = Math.floor(percent * 10) / 10;
  return html`<progress max="100" value="${shown}" aria-label="Progress">${shown} %</progress>`;
}

/** Blocks, lag and speed in one line. */
export function figuresOf(status: HostedStatus | undefined): Html | undefined {
  if (!status) return undefined;
  const { headBlock, chainHeadBlock, handlersPerSecond } = status;
  const lag =
    headBlock !== undefined && chainHeadBlock !== undefined && Math.max(0, chainHeadBlock - headBlock);
  return html`<p class="row small soft">
<span>block ${headBlock === undefined ? "none yet" : digits(headBlock)}${
    chainHeadBlock !== undefined && html` of ${digits(chainHeadBlock)}`
  }</span>
${lag !== false && html`<span>${digits(lag)} behind</span>`}
${handlersPerSecond !== undefined && html`<span>${digits(Math.round(handlersPerSecond))} events/s</span>`}
</p>`;
}

/** A table that can be wider than the page. */
export function wideTable(head: readonly Html[], rows: readonly Html[], label: string, kind = ""): Html {
  return html`<div class="wide ${kind}" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${head}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`;
}

/** The day of a time. */
export function dayOf(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 10)}</time>`;
}
