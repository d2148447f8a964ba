import type { Span } from "../../figures/figure.js";
import { type HistoryRange, historyRanges } from "../../figures/ranges.js";
import { type Html, html } from "../../http/html.js";
import { lastOf } from "./sparkline.js";

/** The height of the frame of a chart. */
export const panelHeight = 40;

/** Links to the ranges of a history, whose section has the id `history`. */
export function rangeLinks(shown: HistoryRange, address: string): Html {
  const links = historyRanges.map(
    ({ name, text }) =>
      html`<li><a href="${address}?range=${name}#history"${name === shown.name && html` aria-current="true"`}>${text}</a></li>`,
  );
  return html`<nav aria-label="Range of the history"><ul class="pages">${links}</ul></nav>`;
}

/**
 * One chart of a history, with its title and a description in words.
 * @param width the number of its columns
 */
export function panelOf(
  title: string,
  text: string,
  width: number,
  span: Span,
  paths: readonly (Html | false)[],
): Html {
  return html`<figure><figcaption>${title} <span class="small soft">${text}</span></figcaption>
<svg class="panel" role="img" viewBox="0 0 ${width} ${panelHeight}" preserveAspectRatio="none"><title>${title} in ${lastOf(span)}: ${text}</title>${paths}</svg></figure>`;
}

/** Five times, from the beginning to the end. */
export function timeAxis({ from, to }: Span): Html {
  const times = [0, 1, 2, 3, 4].map((part) => from + ((to - from) * part) / 4);
  const isLong = to - from > 86_400_000;
  return html`<p class="axis small soft" aria-hidden="true">${times.map((at) => html`<span>${isLong ? dayText(at) : clockText(at)}</span>`)}</p>
<p class="small soft">The times below the charts are in UTC. In gaps, nothing was measured.</p>`;
}

function dayText(at: number): string {
  return new Date(at).toISOString().slice(5, 10);
}

function clockText(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}
