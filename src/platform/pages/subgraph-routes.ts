import type { Platform } from "../platform.js";
import { pauseSubgraph } from "../subgraphs/change-subgraphs.js";
import { pageOf } from "./addresses.js";
import type { ReadHistory } from "./charts/histories.js";
import type { Draft } from "./draft.js";
import type { ReadEntityCounts } from "./entity-counts.js";
import type { ReadMap } from "./map/maps.js";
import type { PageScope } from "./page-scope.js";
import { addDataTab } from "./subgraph/data-tab.js";
import { createLastAttempts } from "./subgraph/last-attempts.js";
import { addLogTab } from "./subgraph/log-tab.js";
import { addMapTab } from "./subgraph/map-tab.js";
import { addOverviewTab } from "./subgraph/overview-tab.js";
import { addQueryTab } from "./subgraph/query-tab.js";
import { addSettingsTab } from "./subgraph/settings-tab.js";
import { createTabScope, lastingOnly } from "./subgraph/tab-scope.js";
import { addWebhookPages } from "./subgraph/webhook-routes.js";
import { addWebhooksTab } from "./subgraph/webhooks-tab.js";

/** Adds the pages of versions and tags: their tabs, and the pages below them. */
export function addSubgraphPages(
  scope: PageScope,
  platform: Platform,
  {
    mapOf,
    countsOf,
    newOf,
    historyOf,
  }: {
    readonly mapOf: ReadMap;
    readonly countsOf: ReadEntityCounts;
    readonly newOf: ReadEntityCounts;
    readonly historyOf: ReadHistory;
  },
  draft?: Draft,
): void {
  const tabs = createTabScope(draft ? lastingOnly(scope, platform, draft) : scope, platform, draft);
  const attemptsOf = createLastAttempts(platform);
  addOverviewTab(tabs, platform, { attemptsOf, historyOf }, draft);
  addDataTab(tabs, platform, async (project, storage) => {
    const [counts, added] = await Promise.all([countsOf(project, storage), newOf(project, storage)]);
    return { counts, added };
  });
  addQueryTab(tabs, platform);
  addLogTab(tabs, platform);
  addWebhooksTab(tabs, platform, attemptsOf);
  // Webhooks belong to versions, in development too.
  addWebhookPages(createTabScope(scope, platform, draft), platform, attemptsOf);
  addMapTab(tabs, platform, mapOf, countsOf);
  addSettingsTab(tabs, platform, draft);
  for (const [action, isPaused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    tabs.post(action, async ({ caller }, named) => {
      await pauseSubgraph(platform, caller, named, isPaused);
      return pageOf(named);
    });
  }
}
