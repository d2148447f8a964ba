import { groupBy } from "../../../base/group-by.js";
import { type Figure, queriesPerSecond, type Span, summed } from "../../figures/figure.js";
import { type Html, html } from "../../http/html.js";
import { digits, wideTable } from "../parts.js";
import { momentCell, momentHead } from "../times.js";
import { lengthOf, millisecondsOf, rateOf } from "./spans.js";
import { stateWord } from "./sparkline.js";

/**
 * The figures of a span as a table, latest first. Times without figures have no row.
 * @param length milliseconds that a row stands for
 * @param queriesSince where rows with queries begin, in milliseconds since 1970; without it, no columns show queries
 */
export function figureTable(
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
      ...["Block", "Lag in blocks", "Lag in time", "Events/s"],
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
