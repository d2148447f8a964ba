import type { MinuteOfRequests } from "../../figures/node-counts.js";
import { lastHour } from "../../figures/ranges.js";
import { type Html, html } from "../../http/html.js";
import { areaPath } from "../charts/paths.js";
import { digits } from "../parts.js";

const size = { width: 60, height: 16 };
/** The outcomes from the bottom of the chart up, with the words for them. */
const outcomes = [
  ["answered", "answered"],
  ["limited", "throttled"],
  ["failed", "failed"],
] as const;

/**
 * The requests to a node in the last hour, by minute: answered, throttled and failed ones on top of each
 * other. The table around it has the sums.
 * @param now milliseconds since 1970
 */
export function nodeChart(minutes: readonly MinuteOfRequests[], now: number): Html {
  const { from, to, step } = lastHour(now);
  const columns = Array.from({ length: Math.round((to - from) / step) }, () => ({
    answered: 0,
    limited: 0,
    failed: 0,
  }));
  for (const { at, requests } of minutes) {
    const column = columns[Math.floor((at - from) / step)];
    if (!column) continue;
    column.answered += requests.answered;
    column.limited += requests.limited;
    column.failed += requests.refused + requests.away;
  }
  const totals = columns.map(({ answered, limited, failed }) => answered + limited + failed);
  const most = Math.max(0, ...totals);
  const worst = Math.max(0, ...columns.map(({ failed }) => failed));
  // Each area reaches from the edge to its top. The next one covers all but its visible part.
  const areas = outcomes.map(([name], index) => {
    const below = outcomes.slice(0, index + 1).map(([each]) => each);
    const tops = columns.map((column) =>
      column[name] === 0 ? undefined : below.reduce((sum, each) => sum + column[each], 0),
    );
    const area = areaPath(tops, most, size.height);
    return area !== "" && html`<path class="${name}" d="${area}"/>`;
  });
  const words = `Requests in the last hour: at most ${digits(most)} a minute${worst > 0 ? `, of which at most ${digits(worst)} failed` : ", none failed"}`;
  return html`<svg class="spark requests" role="img" width="${size.width}" height="${size.height}" viewBox="0 0 ${columns.length} ${size.height}" preserveAspectRatio="none"><title>${words}</title>${areas.toReversed()}</svg>`;
}
