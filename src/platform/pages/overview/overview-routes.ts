import { type ChainNode, chainNodes } from "../../figures/chain-nodes.js";
import { queriesPerSecond } from "../../figures/figure.js";
import { ownQueriesSince } from "../../figures/own-queries.js";
import { lastDay, lastHour } from "../../figures/ranges.js";
import type { RecentFigures } from "../../figures/recorder.js";
import { html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import type { ShownVersion } from "../../subgraphs/read-subgraphs.js";
import { type OutcomeCounts, sumOutcomes } from "../../webhooks/outcome-figures.js";
import { isDown, listWebhooks, type Webhook } from "../../webhooks/webhooks.js";
import { lagSparkline, stateStrip } from "../charts/sparkline.js";
import { totalSparkline } from "../charts/total-sparkline.js";
import type { Draft } from "../draft.js";
import { createKept } from "../kept-for.js";
import type { PageScope } from "../page-scope.js";
import { readOverview } from "../views.js";
import { askedOverview } from "./asked-overview.js";
import { type OverviewFacts, overview } from "./overview-page.js";

/** Adds the page that lists the subgraphs of a project. @param figures without them, the page has no charts */
export function addOverview(
  pages: PageScope,
  platform: Platform,
  { draft, figures }: { readonly draft?: Draft; readonly figures?: RecentFigures },
): void {
  const { database, world, settings } = platform;
  const attempts = createKept<ReadonlyMap<string, OutcomeCounts>>(world);
  pages.get("/", "Viewer", async ({ caller, query, request }) => {
    const shown = await readOverview(platform, caller, request.log, draft);
    const now = world.now();
    const webhooks = await listWebhooks(database, caller.project);
    return overview({
      shown,
      draft,
      now,
      asked: askedOverview(query),
      nodes: await readNodes(platform, shown),
      down: webhooks.filter(isDown),
      failing: await failingOf(caller.project, webhooks),
      ...(figures &&
        !draft &&
        measured(figures, shown, await ownQueriesSince(database, caller.project), now)),
      address: settings.address(),
    });
  });

  /** The webhooks whose attempts failed in the last day, and how many did, most first. */
  async function failingOf(project: string, webhooks: readonly Webhook[]): Promise<OverviewFacts["failing"]> {
    const ids = webhooks.map(({ id }) => id);
    const counts = await attempts([project, ...ids].join(), (now) =>
      sumOutcomes(database, { project, webhooks: ids }, lastDay(now)),
    );
    return webhooks
      .flatMap((webhook) => {
        const { retried, failed } = counts.get(webhook.id) ?? { retried: 0, failed: 0 };
        return retried + failed > 0 ? [[webhook, retried + failed] as const] : [];
      })
      .toSorted(([, one], [, other]) => other - one);
  }
}

/**
 * The last hour of deployments as charts, and their queries per second in the last whole minute.
 * @param since the time from which the queries of each deployment come from the project alone
 */
function measured(
  figures: RecentFigures,
  shown: readonly ShownVersion[],
  since: ReadonlyMap<string, number>,
  now: number,
): Pick<OverviewFacts, "lastHour" | "queriesPerSecond" | "totalCharts"> {
  const span = lastHour(now);
  // The current minute.
  const current = span.to - span.step;
  const deployments = new Set(shown.map(({ entry }) => entry.deployment));
  const rates = [...deployments].flatMap((deployment) => {
    const last = figures.recent(deployment).findLast(({ at }) => at < current);
    const isOwn = last !== undefined && last.at >= (since.get(deployment) ?? Number.POSITIVE_INFINITY);
    return isOwn && last.at >= current - span.step ? (queriesPerSecond(last) ?? []) : [];
  });
  const all = [...deployments].map((deployment) => figures.recent(deployment));
  const own = [...deployments].map((deployment) =>
    figures.recent(deployment).filter(({ at }) => at >= (since.get(deployment) ?? Number.POSITIVE_INFINITY)),
  );
  return {
    totalCharts: {
      events: totalSparkline("Events per second", all, ({ eventsPerSecond }) => eventsPerSecond, span),
      ...(rates.length > 0 && {
        queries: totalSparkline("Queries per second", own, queriesPerSecond, span),
      }),
    },
    lastHour: (deployment) => {
      const recent = figures.recent(deployment);
      return recent.length === 0 ? undefined : html`${lagSparkline(recent, span)}${stateStrip(recent, span)}`;
    },
    ...(rates.length > 0 && { queriesPerSecond: rates.reduce((sum, rate) => sum + rate, 0) }),
  };
}

/** The nodes of the chains on which subgraphs are, those with problems first. */
async function readNodes(
  { hosting }: Pick<Platform, "hosting">,
  shown: readonly ShownVersion[],
): Promise<readonly ChainNode[]> {
  const readings = await Promise.all(hosting.engines.map((engine) => engine.nodes?.() ?? []));
  const statuses = shown.flatMap(({ entry, status }) => (status ? [[entry.network, status] as const] : []));
  return chainNodes(readings.flat(), statuses);
}
