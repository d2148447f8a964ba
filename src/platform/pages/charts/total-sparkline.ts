import type { Figure, Span } from "../../figures/figure.js";
import { type Html, html } from "../../http/html.js";
import { areaPath } from "./paths.js";
import { rateOf } from "./spans.js";
import { lastOf } from "./sparkline.js";

const size = { width: 60, height: 16 };

/**
 * A small chart of a rate of all deployments together.
 * @param title the name of the rate: `Events per second`
 * @param deployments the figures of each, by minute
 * @param rate the rate of one figure; `undefined` if unknown
 */
export function totalSparkline(
  title: string,
  deployments: readonly (readonly Figure[])[],
  rate: (figure: Figure) => number | undefined,
  span: Span,
): Html {
  const sums: (number | undefined)[] = Array.from({ length: Math.round((span.to - span.from) / span.step) });
  for (const figure of deployments.flat()) {
    const index = Math.floor((figure.at - span.from) / span.step);
    const value = rate(figure);
    if (value !== undefined && index >= 0 && index < sums.length) sums[index] = (sums[index] ?? 0) + value;
  }
  const known = sums.filter((sum) => sum !== undefined);
  const most = Math.max(0, ...known);
  const words =
    known.length === 0 ? "not measured" : `at most ${rateOf(most)}, latest ${rateOf(known.at(-1) ?? 0)}`;
  const area = areaPath(
    sums.map((sum) => (sum === 0 ? undefined : sum)),
    most,
    size.height,
  );
  return html`<svg class="spark total" role="img" width="${size.width}" height="${size.height}" viewBox="0 0 ${sums.length} ${size.height}" preserveAspectRatio="none"><title>${title} in ${lastOf(span)}: ${words}</title>${area !== "" && html`<path class="sum" d="${area}"/>`}</svg>`;
}
