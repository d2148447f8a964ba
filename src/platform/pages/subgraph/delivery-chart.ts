import { groupBy } from "../../../base/group-by.js";
import { Durations } from "../../figures/durations.js";
import type { Span } from "../../figures/figure.js";
import type { HistoryRange } from "../../figures/ranges.js";
import { type Html, html } from "../../http/html.js";
import type { OutcomeFigure } from "../../webhooks/outcome-figures.js";
import { panelHeight, panelOf, rangeLinks, timeAxis } from "../charts/frame.js";
import { areaPath, linePath } from "../charts/paths.js";
import { lengthOf, millisecondsOf, rateOf } from "../charts/spans.js";
import { lastOf } from "../charts/sparkline.js";
import { digits, wideTable } from "../parts.js";
import { momentCell, momentHead } from "../times.js";

/** The measurements of a webhook in a span of time. */
export interface DeliveryHistory {
  readonly range: HistoryRange;
  readonly span: Span;
  /** One for each column at most, oldest first. A column without figures was not measured. */
  readonly figures: readonly OutcomeFigure[];
}

/** Outcomes from the bottom of the chart up. */
const outcomes = ["delivered", "retried", "failed"] as const;
const minute = 60_000;

/**
 * The history of a webhook: its attempts per minute by outcome, the events that waited, and how long attempts took, with
 * the figures as a table. Works without a script.
 * @param address of its page; `?range=` is added for other ranges
 */
export function deliveryChart(history: DeliveryHistory, address: string): Html {
  const { range, span, figures } = history;
  return html`<section class="charts" id="history" aria-labelledby="history-title">
<h2 id="history-title">History</h2>
${rangeLinks(range, address)}
${figures.length === 0 ? html`<p class="soft">Nothing was measured in ${lastOf(span)}.</p>` : charts(history)}
</section>`;
}

function charts({ range, span, figures }: DeliveryHistory): Html {
  const columns: (OutcomeFigure | undefined)[] = Array.from({ length: (span.to - span.from) / span.step });
  for (const figure of figures) {
    const index = Math.floor((figure.at - span.from) / span.step);
    if (index >= 0 && index < columns.length) columns[index] = figure;
  }
  return html`${attemptPanel(columns, span)}
${pendingPanel(columns, span)}
${durationPanel(columns, span)}
${timeAxis(span)}
<details id="history-figures"><summary>Figures as a table</summary>
${table(figures, range.row)}</details>`;
}

/** Attempts per minute, stacked by how they ended. */
function attemptPanel(columns: readonly (OutcomeFigure | undefined)[], span: Span): Html {
  const totals = columns.map((figure) => figure && attemptsOf(figure));
  const most = Math.max(0, ...totals.map((total = 0) => total));
  const average = span.step > minute ? `, averaged over ${lengthOf(span.step)}` : "";
  const rate = most === 0 ? "" : `; at most ${rateOf(most / (span.step / minute))} per minute${average}`;
  const text = `${attemptText(columns.flatMap((figure) => figure ?? []))}${rate}`;
  // Each area reaches from the edge to its top. The next one covers all but its visible part.
  const areas = outcomes.map((outcome, index) => {
    const below = outcomes.slice(0, index + 1);
    const tops = columns.map((figure) =>
      figure && figure[outcome] > 0 ? below.reduce((sum, each) => sum + figure[each], 0) : undefined,
    );
    const area = areaPath(tops, most, panelHeight);
    return area !== "" && html`<path class="${outcome}" d="${area}"/>`;
  });
  return panelOf("Attempts per minute", text, columns.length, span, [
    zeroLine(totals),
    ...areas.toReversed(),
  ]);
}

/** `3 of 40 attempts failed, 1 of them for good` */
function attemptText(figures: readonly OutcomeFigure[]): string {
  const sum = (of: (typeof outcomes)[number]) => figures.reduce((all, figure) => all + figure[of], 0);
  const [retried, failed] = [sum("retried"), sum("failed")];
  const all = sum("delivered") + retried + failed;
  if (all === 0) return "no attempts";
  if (retried + failed === 0) return `${digits(all)} ${all === 1 ? "attempt" : "attempts"}, none failed`;
  const good = failed === 0 ? "none of them" : failed === all ? "all" : `${digits(failed)} of them`;
  return `${digits(retried + failed)} of ${digits(all)} attempts failed, ${good} for good`;
}

/** The most events that waited. */
function pendingPanel(columns: readonly (OutcomeFigure | undefined)[], span: Span): Html {
  const waiting = columns.map((figure) => figure?.pending);
  const known = waiting.filter((count) => count !== undefined);
  const most = Math.max(0, ...known);
  const last = known.at(-1);
  const text =
    last === undefined
      ? "not measured"
      : most === 0
        ? "none"
        : `at most ${digits(most)}, latest ${digits(last)}`;
  const area = areaPath(
    waiting.map((count) => (count === 0 ? undefined : count)),
    most,
    panelHeight,
  );
  return panelOf("Pending events", text, columns.length, span, [
    zeroLine(waiting),
    area !== "" && html`<path class="pending" d="${area}"/>`,
  ]);
}

/** The time within which 95 of 100 attempts ended. */
function durationPanel(columns: readonly (OutcomeFigure | undefined)[], span: Span): Html {
  const times = columns.map((figure) => figure && new Durations(figure.times).within(0.95));
  const known = times.filter((time) => time !== undefined);
  const figures = columns.flatMap((figure) => figure ?? []);
  const all = new Durations(timesOf(figures)).within(0.95);
  const isMeasured = figures.every((figure) => attemptsOf(figure) === 0);
  const text =
    all === undefined
      ? isMeasured
        ? "no attempts"
        : "not measured"
      : `95 of 100 ended within ${millisecondsOf(all)}; in the slowest ${lengthOf(span.step)} within ${millisecondsOf(Math.max(...known))}`;
  const area = areaPath(times, Math.max(0, ...known), panelHeight);
  return panelOf("Time of attempts", text, columns.length, span, [
    area !== "" && html`<path class="times" d="${area}"/>`,
  ]);
}

function zeroLine(values: readonly (number | undefined)[]): Html | false {
  const zero = linePath(
    values.map((value) => value === 0),
    panelHeight - 1,
  );
  return zero !== "" && html`<path class="zero" d="${zero}"/>`;
}

/** The figures as a table, latest first. @param length the milliseconds that a row covers */
function table(figures: readonly OutcomeFigure[], length: number): Html {
  const groups = groupBy(figures, ({ at }) => Math.floor(at / length) * length);
  const rows = [...groups].toReversed().map(([at, own]) => {
    const waiting = own.flatMap(({ pending }) => pending ?? []);
    const slow = new Durations(timesOf(own)).within(0.95);
    const cells = [
      ...outcomes.map((outcome) => digits(own.reduce((sum, figure) => sum + figure[outcome], 0))),
      waiting.length === 0 ? "" : digits(Math.max(...waiting)),
      slow === undefined ? "" : millisecondsOf(slow),
    ];
    return html`<tr><td>${momentCell(new Date(at))}</td>${cells.map((text) => html`<td class="number">${text}</td>`)}</tr>`;
  });
  const head = [
    momentHead,
    ...["Delivered", "Failed and retried", "Failed for good", "Pending", "95 % within"].map(
      (text) => html`<th scope="col" class="number">${text}</th>`,
    ),
  ];
  return html`<p class="small soft">Each row stands for ${lengthOf(length)}: the attempts of all servers by how they ended, the most events that waited, and the time within which 95 of 100 attempts ended, with or without an answer. Waiting events are counted every 20 seconds. Times are rounded up, by at most a fifth.</p>
${wideTable(head, rows, "Figures", "high")}`;
}

/** How many attempts of several figures took how long. */
function timesOf(figures: readonly OutcomeFigure[]): readonly number[] {
  const longest = Math.max(0, ...figures.map(({ times }) => times.length));
  return Array.from({ length: longest }, (_, bucket) =>
    figures.reduce((sum, { times }) => sum + (times[bucket] ?? 0), 0),
  );
}

function attemptsOf({ delivered, retried, failed }: OutcomeFigure): number {
  return delivered + retried + failed;
}
