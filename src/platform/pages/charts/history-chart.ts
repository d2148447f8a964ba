import { columnsOf, queriesPerSecond, type Span } from "../../figures/figure.js";
import { type HistoryRange, historyRanges } from "../../figures/ranges.js";
import type { History } from "../../figures/read-history.js";
import { type Html, html } from "../../http/html.js";
import { figureTable } from "./figure-table.js";
import { markList, markRow } from "./marks.js";
import { areaPath, linePath } from "./paths.js";
import { lengthOf, rateOf } from "./spans.js";
import { blocksOf, lastOf, stateLengths, stateStrip } from "./sparkline.js";

const panelHeight = 40;

/** Charts that were drawn already: pages that renew themselves show the same history for a while. */
const drawn = new WeakMap<History, Html>();

/**
 * The history of a deployment: its states, its lag, its events and queries per second over one time axis, with marks for
 * what happened, and the figures as a table. Works without a script. Nothing is drawn where nothing was measured, and no
 * queries that may be those of other projects.
 * @param address of the page that shows it; `?range=` is added for other ranges
 */
export function historyChart(history: History, address: string): Html {
  const { range, span, figures } = history;
  return html`<section class="charts" id="history" aria-labelledby="history-title">
<h2 id="history-title">History</h2>
${rangeLinks(range, address)}
${figures.length === 0 ? html`<p class="soft">Nothing was measured in ${lastOf(span)}.</p>` : chartsOf(history)}
</section>`;
}

function chartsOf(history: History): Html {
  const known = drawn.get(history) ?? charts(history);
  drawn.set(history, known);
  return known;
}

function charts({ range, span, figures, marks, queriesSince }: History): Html {
  const columns = columnsOf(figures, span);
  const lag = columns.map((figure) => figure?.lagBlocks);
  const seconds = columns.map((figure) => figure?.lagSeconds);
  const events = columns.map((figure) => figure?.eventsPerSecond);
  const queries =
    queriesSince !== undefined &&
    columns.map((figure) => (figure && figure.at >= queriesSince ? queriesPerSecond(figure) : undefined));
  return html`${markRow(marks, span)}
<figure><figcaption>State</figcaption>
${stateStrip(figures, span, true)}
<p class="small soft">${stateLengths(figures, span)}</p></figure>
${panel("lag", "Lag", lag, lagText(lag, seconds), span)}
${panel("events", "Events per second", events, rateText(events), span)}
${queries && panel("queries", "Queries per second", queries, rateText(queries), span)}
${timeAxis(span)}
${markList(marks)}
<details id="history-figures"><summary>Figures as a table</summary>
${figureTable(figures, span, range.row, queriesSince)}</details>`;
}

function rangeLinks(shown: HistoryRange, address: string): Html {
  const links = historyRanges.map(
    ({ name, text }) =>
      html`<li><a href="${address}?range=${name}#history"${name === shown.name && html` aria-current="true"`}>${text}</a></li>`,
  );
  return html`<nav aria-label="Range of the history"><ul class="pages">${links}</ul></nav>`;
}

function panel(
  kind: string,
  title: string,
  values: readonly (number | undefined)[],
  text: string,
  span: Span,
): Html {
  const most = Math.max(0, ...values.map((value = 0) => value));
  const zero = linePath(
    values.map((value) => value === 0),
    panelHeight - 1,
  );
  const area = areaPath(
    values.map((value) => (value === 0 ? undefined : value)),
    most,
    panelHeight,
  );
  return html`<figure><figcaption>${title}</figcaption>
<svg class="panel" role="img" viewBox="0 0 ${values.length} ${panelHeight}" preserveAspectRatio="none"><title>${title} in ${lastOf(span)}: ${text}</title>${zero !== "" && html`<path class="zero" d="${zero}"/>`}${area !== "" && html`<path class="${kind}" d="${area}"/>`}</svg>
<p class="small soft">${text}</p></figure>`;
}

function lagText(blocks: readonly (number | undefined)[], seconds: readonly (number | undefined)[]): string {
  const known = blocks.filter((count) => count !== undefined);
  const last = known.at(-1);
  if (last === undefined) return "not measured";
  const most = Math.max(...known);
  if (most === 0) return "none";
  const longest = Math.max(0, ...seconds.map((length = 0) => length));
  const time = longest === 0 ? "" : ` (${lengthOf(longest * 1000)})`;
  return `at most ${blocksOf(most)}${time}, latest ${blocksOf(last)}`;
}

function rateText(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  const last = known.at(-1);
  if (last === undefined) return "not measured";
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  return `at most ${rateOf(Math.max(...known))}, on average ${rateOf(mean)}, latest ${rateOf(last)}`;
}

/** Five times, from the beginning to the end. */
function timeAxis({ from, to }: Span): Html {
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
