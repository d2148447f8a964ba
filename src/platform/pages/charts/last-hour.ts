import { queriesOf } from "../../figures/figure.js";
import { lastHour } from "../../figures/ranges.js";
import type { RecentFigures } from "../../figures/recorder.js";
import { type Html, html } from "../../http/html.js";
import { lagSparkline, stateStrip } from "./sparkline.js";

/**
 * The last hour of a deployment in two small charts: its states and its lag. Nothing before its first measurement.
 * @param now milliseconds since 1970
 */
export function lastHourCharts(figures: RecentFigures, deployment: string, now: number): Html | undefined {
  const recent = figures.recent(deployment);
  if (recent.length === 0) return undefined;
  const span = lastHour(now);
  return html`${stateStrip(recent, span)}${lagSparkline(recent, span)}`;
}

/**
 * The queries per second to some deployments in the last whole minute, of all servers together; nothing if none of the
 * deployments was measured.
 * @param now milliseconds since 1970
 */
export function queriesInLastMinute(
  figures: RecentFigures,
  deployments: Iterable<string>,
  now: number,
): number | undefined {
  const minute = Math.floor(now / 60_000) * 60_000 - 60_000;
  const found = [...new Set(deployments)].flatMap((deployment) =>
    figures.recent(deployment).filter(({ at }) => at === minute),
  );
  return found.length === 0 ? undefined : found.reduce((sum, figure) => sum + queriesOf(figure), 0) / 60;
}
