import { type Html, html } from "../../http/html.js";
import type { HourOfOutcomes } from "../../webhooks/outcome-counts.js";
import { heightOf } from "../charts/paths.js";
import { digits, wideTable } from "../parts.js";
import { momentHead } from "../times.js";

const hour = 3_600_000;
const hours = 24;
const height = 40;
/** The outcomes from the bottom of a bar up, each with its color. */
const outcomes = [
  ["delivered", "good"],
  ["retried", "warn"],
  ["failed", "bad"],
] as const;

/**
 * How many attempts of a webhook ended how in each of the last 24 hours: bars, a sentence, and the numbers as a table.
 * @param now milliseconds since 1970
 */
export function outcomeChart(counted: readonly HourOfOutcomes[], now: number): Html {
  const text = outcomeText(counted);
  if (counted.length === 0) return html`<p class="soft">No attempts in the last 24 hours.</p>`;
  const most = Math.max(...counted.map(totalOf));
  const last = Math.floor(now / hour);
  const bars = counted.flatMap((one) => {
    const x = hours - 1 - (last - Math.floor(one.hour.getTime() / hour));
    let top = height;
    return outcomes.map(([outcome, tone]) => {
      const count = Number(one[outcome]);
      // A single failure among thousands of deliveries must be seen.
      const length = heightOf(count, most, height);
      top = Math.max(0, top - length);
      return length > 0 && html`<rect class="${tone}" x="${x}" y="${top}" width="0.8" height="${length}"/>`;
    });
  });
  const rows = counted
    .toReversed()
    .map(
      (one) =>
        html`<tr><td><time datetime="${one.hour.toISOString()}" data-moment>${one.hour.toISOString().slice(0, 16).replace("T", " ")}</time></td>${outcomes.map(([outcome]) => html`<td class="number">${digits(one[outcome])}</td>`)}</tr>`,
    );
  const head = [
    momentHead,
    ...["Delivered", "Failed and retried", "Failed for good"].map(
      (name) => html`<th scope="col" class="number">${name}</th>`,
    ),
  ];
  return html`<figure class="outcomes"><svg role="img" viewBox="0 0 ${hours} ${height}" preserveAspectRatio="none"><title>Attempts by hour in the last 24 hours: ${text}</title>${bars}</svg>
<figcaption class="small soft">${text}. Each bar stands for an hour.</figcaption></figure>
<details id="outcomes"><summary>Counts by hour</summary>${wideTable(head, rows, "Outcomes by hour")}</details>`;
}

/** `120 delivered, 3 failed and retried, 1 failed for good` */
export function outcomeText(counted: readonly HourOfOutcomes[]): string {
  const sum = (of: (typeof outcomes)[number][0]) => counted.reduce((all, one) => all + one[of], 0n);
  const [retried, failed] = [sum("retried"), sum("failed")];
  return [
    `${digits(sum("delivered"))} delivered`,
    ...(retried > 0n ? [`${digits(retried)} failed and retried`] : []),
    ...(failed > 0n ? [`${digits(failed)} failed for good`] : []),
  ].join(", ");
}

function totalOf({ delivered, retried, failed }: HourOfOutcomes): number {
  return Number(delivered + retried + failed);
}
