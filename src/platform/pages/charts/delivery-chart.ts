import type { Span } from "../../figures/figure.js";
import type { DeliveryFigure } from "../../figures/figure-rows.js";
import { type Html, html } from "../../http/html.js";
import { digits, wideTable } from "../parts.js";
import { areaPath } from "./paths.js";
import { lastOf } from "./sparkline.js";

const height = 40;

/**
 * The attempts of a webhook over time: delivered ones, and failed ones below on the same scale, with the numbers as a
 * table.
 * @param figures oldest first; columns without attempts may be missing
 */
export function deliveryChart(figures: readonly DeliveryFigure[], span: Span): Html {
  const within = figures.filter(({ at }) => at >= span.from && at < span.to);
  const sum = (of: (figure: DeliveryFigure) => number): number =>
    within.reduce((total, figure) => total + of(figure), 0);
  const [delivered, failed] = [sum((one) => one.delivered), sum((one) => one.failed)];
  if (within.length === 0) return html`<p class="soft">No attempts in ${lastOf(span)}.</p>`;
  const most = Math.max(...within.flatMap((one) => [one.delivered, one.failed]));
  const chart = (kind: "delivered" | "failed"): Html => {
    const columns: (number | undefined)[] = Array.from({
      length: Math.round((span.to - span.from) / span.step),
    });
    for (const figure of within) {
      const index = Math.floor((figure.at - span.from) / span.step);
      if (figure[kind] > 0) columns[index] = (columns[index] ?? 0) + figure[kind];
    }
    return html`<svg class="panel" role="img" viewBox="0 0 ${columns.length} ${height}" preserveAspectRatio="none"><title>${kind === "failed" ? "Failed attempts" : "Delivered events"} in ${lastOf(span)}: ${digits(kind === "failed" ? failed : delivered)}</title><path class="${kind}" d="${areaPath(columns, most, height)}"/></svg>`;
  };
  const rows = within.toReversed().map((figure) => {
    const time = new Date(figure.at).toISOString();
    return html`<tr><td><time datetime="${time}">${time.slice(0, 16).replace("T", " ")}</time></td><td class="number">${digits(figure.delivered)}</td><td class="number">${digits(figure.failed)}</td></tr>`;
  });
  const head = [
    html`<th scope="col">From (UTC)</th>`,
    html`<th scope="col" class="number">Delivered</th>`,
    html`<th scope="col" class="number">Failed</th>`,
  ];
  return html`<section class="charts" id="attempts" aria-labelledby="attempts-title">
<h2 id="attempts-title">Attempts in ${lastOf(span)}</h2>
<figure><figcaption>Delivered: ${digits(delivered)}</figcaption>${chart("delivered")}</figure>
<figure><figcaption>Failed: ${digits(failed)}</figcaption>${chart("failed")}</figure>
<details id="attempts-figures"><summary>Figures as a table</summary>${wideTable(head, rows, "Attempts", "high")}</details>
</section>`;
}
