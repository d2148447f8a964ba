import { groupBy } from "../../../base/group-by.js";
import {
  columnsOf,
  type Figure,
  type QueryNumbers,
  queriesPerSecond,
  type Span,
  summed,
} from "../../figures/figure.js";
import type { History } from "../../figures/read-history.js";
import { type Html, html } from "../../http/html.js";
import { digits, wideTable } from "../parts.js";
import { momentCell, momentHead } from "../times.js";
import { panelHeight, panelOf, rangeLinks, timeAxis } from "./frame.js";
import { markList, markRow } from "./marks.js";
import { areaPath, linePath } from "./paths.js";
import { lengthOf, millisecondsOf, rateOf } from "./spans.js";
import { blocksOf, lastOf, stateLengths, stateStrip, stateWord } from "./sparkline.js";

/** Charts that were drawn already: pages that renew themselves show the same history for a while. */
const drawn = new WeakMap<History, Html>();

/**
 * The history of a deployment: its states, its lag, its events and queries per second over one time axis, with marks
 * for events, and the figures as a table. Works without a script. Leaves gaps without measurements, and omits queries
 * that may belong to other projects.
 * @param address of the page that shows it; `?range=` is added for other ranges
 */
export function historyChart(history: History, address: string): Html {
  const { range, span, figures } = history;
  return html`<section class="charts" id="history" aria-labelledby="history-title">
<h2 id="history-title">History</h2>
${rangeLinks(range, address)}
${figures.length > 0 && zoomPlace(range, address)}
${figures.length === 0 ? html`<p class="soft">Nothing was measured in ${lastOf(span)}.</p>` : chartsOf(history)}
</section>`;
}

/** The place where a script offers to zoom in. A page that renews itself leaves it to the script. */
function zoomPlace({ name }: History["range"], address: string): Html {
  return html`<div id="history-zoom" data-own="${name}" data-figures="${address}/history.json?range=${name}"></div>`;
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
  const own = columns.map((figure) =>
    queriesSince !== undefined && figure && figure.at >= queriesSince ? figure : undefined,
  );
  return html`${markRow(marks, span)}
<figure><figcaption>State <span class="small soft">${stateLengths(figures, span)}</span></figcaption>
${stateStrip(figures, span, true)}</figure>
${panel("lag", "Lag in blocks", lag, lagText(lag, seconds), span)}
${panel("events", "Events per second", events, rateText(events), span)}
${queriesSince !== undefined && [queryPanel(own, span), durationPanel(own, span)]}
${timeAxis(span)}
${markList(marks)}
<details id="history-figures"><summary>Figures as a table</summary>
${figureTable(figures, span, range.row, queriesSince)}</details>`;
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
  return panelOf(title, text, values.length, span, [
    zero !== "" && html`<path class="zero" d="${zero}"/>`,
    area !== "" && html`<path class="${kind}" d="${area}"/>`,
  ]);
}

/** The sources of answered queries, from the bottom of the chart up, with their names. */
const answers = [
  ["fromMemory", "from memory"],
  ["fromEngine", "from the database"],
  ["refused", "refused"],
  ["failed", "failed"],
] as const satisfies readonly (readonly [keyof QueryNumbers, string])[];

/** Queries per second, stacked by source of the answer. */
function queryPanel(figures: readonly (Figure | undefined)[], span: Span): Html {
  const rates = figures.map((figure) => figure && queriesPerSecond(figure));
  const most = Math.max(0, ...rates.map((rate = 0) => rate));
  const text = `${rateText(rates)}${sharesOf(figures)}`;
  // Each area reaches from the edge to its top. The next one covers all but its visible part.
  const areas = answers.map(([name], index) => {
    const below = answers.slice(0, index + 1).map(([each]) => each);
    const tops = figures.map((figure) => {
      if (!figure || figure.minutes === 0 || figure[name] === 0) return undefined;
      return below.reduce((sum, each) => sum + figure[each], 0) / (figure.minutes * 60);
    });
    const area = areaPath(tops, most, panelHeight);
    return area !== "" && html`<path class="${name}" d="${area}"/>`;
  });
  const zero = linePath(
    rates.map((rate) => rate === 0),
    panelHeight - 1,
  );
  return panelOf("Queries per second", text, rates.length, span, [
    zero !== "" && html`<path class="zero" d="${zero}"/>`,
    ...areas.toReversed(),
  ]);
}

/** `; 80 % from memory, 20 % from the database` */
function sharesOf(figures: readonly (Figure | undefined)[]): string {
  const sums = answers.map(([name, words]) => ({
    words,
    sum: figures.reduce((all, figure) => all + (figure?.[name] ?? 0), 0),
  }));
  const all = sums.reduce((total, { sum }) => total + sum, 0);
  const parts = sums.filter(({ sum }) => sum > 0).map(({ words, sum }) => `${shareText(sum / all)} ${words}`);
  return parts.length === 0 ? "" : `; ${parts.join(", ")}`;
}

function shareText(share: number): string {
  if (share > 0 && share < 0.01) return "under 1 %";
  if (share < 1 && share > 0.99) return "over 99 %";
  return `${Math.round(share * 100)} %`;
}

/** How long queries took: the time within which 95 of 100 were answered, in the slowest minute of a column. */
function durationPanel(figures: readonly (Figure | undefined)[], span: Span): Html {
  const times = figures.map((figure) => figure?.p95);
  const known = times.filter((time) => time !== undefined);
  const halves = figures.flatMap((figure) => figure?.p50 ?? []);
  const last = known.at(-1);
  const text =
    last === undefined
      ? "no queries"
      : `95 of 100 within ${millisecondsOf(Math.max(...known))}, half of them within ${millisecondsOf(Math.max(0, ...halves))} in the slowest minute; latest ${millisecondsOf(last)}`;
  const area = areaPath(times, Math.max(0, ...known), panelHeight);
  return panelOf("Query time", text, times.length, span, [
    area !== "" && html`<path class="times" d="${area}"/>`,
  ]);
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

/**
 * The figures of a span as a table, latest first. Times without figures have no row.
 * @param length the milliseconds that a row covers
 * @param queriesSince the time of the first row with queries, in milliseconds since 1970; without it, there are no
 * columns for queries
 */
function figureTable(
  figures: readonly Figure[],
  { from, to }: Span,
  length: number,
  queriesSince: number | undefined,
): Html {
  const within = figures.filter(({ at }) => at >= from && at < to);
  const groups = groupBy(within, ({ at }) => Math.floor(at / length) * length);
  const rows = [...groups].toReversed().map(([at, own]) => row(summed(at, own), queriesSince));
  const head = [
    momentHead,
    html`<th scope="col">State</th>`,
    ...[
      "Block",
      "Lag in blocks",
      "Lag in time",
      "Events/s",
      ...(queriesSince === undefined ? [] : ["Queries/s", "Refused", "Failed", "Median time", "95 % within"]),
      "Measured",
    ].map((text) => html`<th scope="col" class="number">${text}</th>`),
  ];
  return html`<p class="small soft">Each row stands for ${lengthOf(length)}: the most serious state, the latest block, the greatest lag, the average rates, the times of the slowest minute, and how long they were measured.</p>
${wideTable(head, rows, "Figures", "high")}`;
}

function row(figure: Figure, queriesSince: number | undefined): Html {
  const { at, state, block, lagBlocks, lagSeconds, eventsPerSecond, minutes } = figure;
  const cells = [
    block === undefined ? "" : digits(block),
    lagBlocks === undefined ? "" : digits(lagBlocks),
    lagSeconds === undefined ? "" : lengthOf(lagSeconds * 1000),
    eventsPerSecond === undefined ? "" : rateOf(eventsPerSecond),
    ...(queriesSince === undefined ? [] : queryCells(figure, queriesSince)),
    lengthOf(minutes * 60_000),
  ];
  return html`<tr><td>${momentCell(new Date(at))}</td><td>${stateWord(state)}</td>${cells.map((text) => html`<td class="number">${text}</td>`)}</tr>`;
}

function queryCells(figure: Figure, since: number): readonly string[] {
  if (figure.at < since) return ["", "", "", "", ""];
  const queries = queriesPerSecond(figure);
  const { refused, failed, p50, p95 } = figure;
  const times = [p50, p95].map((time) => (time === undefined ? "" : millisecondsOf(time)));
  return [queries === undefined ? "" : rateOf(queries), digits(refused), digits(failed), ...times];
}
