import { LRUCache } from "lru-cache";
import { lastDay } from "../../figures/ranges.js";
import { type Html, html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { engineOf } from "../../subgraphs/find-subgraph.js";
import { plannedEntities } from "../../subgraphs/plan-entities.js";
import { countDeliveries } from "../../webhooks/outbox.js";
import { type OutcomeCounts, sumOutcomes } from "../../webhooks/outcome-figures.js";
import { isDown, type Webhook } from "../../webhooks/webhooks.js";
import { pageOf } from "../addresses.js";
import { digits, wideTable } from "../parts.js";
import type { ReadLastAttempts } from "./last-attempts.js";
import { receiverNotice } from "./receiver-notice.js";
import type { TabScope } from "./tab-scope.js";
import { newWebhookForm } from "./webhook-forms.js";
import { hostOf, webhookAddress, webhookState } from "./webhook-parts.js";

/** A webhook in the list, with the outcome of its events. */
interface ListedWebhook {
  readonly webhook: Webhook;
  readonly waiting: number;
  readonly failed: number;
  /** Of the last 24 hours, as in the chart of its page; `undefined` without attempts. */
  readonly outcomes: OutcomeCounts | undefined;
}

/** The most builds whose tables to keep in memory. A build never changes, and the page renews itself. */
const mostKept = 100;

/** Adds the tab with the webhooks of a version; of a tag, those of the version that it points to. */
export function addWebhooksTab(tabs: TabScope, platform: Platform, attemptsOf: ReadLastAttempts): void {
  const { database, hosting, world } = platform;
  const kept = new LRUCache<string, readonly string[]>({ max: mostKept });
  tabs.get("webhooks", "", async ({ entry, mayChange, webhooks }) => {
    const { name, version, target } = entry;
    const base = pageOf({ name, version: target ?? version });
    const ids = webhooks.map(({ id }) => id);
    const counts = await countDeliveries(database, ids);
    const attempts = await attemptsOf(webhooks);
    const sums = await sumOutcomes(database, { project: entry.project, webhooks: ids }, lastDay(world.now()));
    const listed = webhooks.map((webhook): ListedWebhook => {
      const { pending: waiting = 0, failed = 0 } = counts.get(webhook.id) ?? {};
      return { webhook, waiting, failed, outcomes: sums.get(webhook.id) };
    });
    const down = listed.filter(({ webhook }) => isDown(webhook));
    const { feedless } = engineOf(hosting, entry.engine) ?? {};
    const mayMake = mayChange && target === undefined && feedless === undefined;
    return {
      body: html`${feedless !== undefined && html`<p class="soft">Webhooks are unavailable: this subgraph ${feedless}.</p>`}
${down.map(({ webhook, waiting }) => receiverNotice(webhook, base, attempts.get(webhook.id), waiting))}
${webhooks.length === 0 ? html`<p class="soft">There are no webhooks.</p>` : webhookList(listed, base, feedless)}
${target !== undefined && html`<p class="soft">Webhooks belong to versions. These are the ones of <a href="${base}/webhooks">${target}</a>.</p>`}
${mayMake && newWebhookForm(base, await tablesOf(entry.deployment))}`,
      isLive: true,
    };
  });

  async function tablesOf(deployment: string): Promise<readonly string[]> {
    const known = kept.get(deployment);
    if (known) return known;
    const tables = (await plannedEntities(database, deployment)).map(({ name }) => name);
    // A missing build has no known tables.
    if (tables.length > 0) kept.set(deployment, tables);
    return tables;
  }
}

/** @param feedless why webhooks cannot work for this version, as the end of a sentence */
function webhookList(listed: readonly ListedWebhook[], base: string, feedless: string | undefined): Html {
  const sorted = listed.toSorted((a, b) => Number(isDown(b.webhook)) - Number(isDown(a.webhook)));
  const rows = sorted.map(
    ({
      webhook,
      waiting,
      failed,
      outcomes,
    }) => html`<tr><td><a href="${webhookAddress(base, webhook)}">${webhook.name}</a></td>
<td>${webhookState(webhook, feedless)}</td><td>${webhook.entity}</td><td class="cell">${hostOf(webhook.url)}</td>
<td class="number">${digits(waiting)}</td><td class="number">${failed > 0 ? html`<a class="bad" href="${webhookAddress(base, webhook)}?status=failed">${digits(failed)}</a>` : "0"}</td>
<td class="small">${outcomes ? outcomeText(outcomes) : "no attempts"}</td></tr>`,
  );
  const head = ["Webhook", "State", "Entity", "Sent to", "Pending", "Failed", "Last 24 hours"].map((text) =>
    ["Pending", "Failed"].includes(text)
      ? html`<th scope="col" class="number">${text}</th>`
      : html`<th scope="col">${text}</th>`,
  );
  return wideTable(head, rows, "Webhooks");
}

/** `120 delivered, 3 failed and retried, 1 failed for good` */
export function outcomeText({ delivered, retried, failed }: OutcomeCounts): string {
  return [
    `${digits(delivered)} delivered`,
    ...(retried > 0 ? [`${digits(retried)} failed and retried`] : []),
    ...(failed > 0 ? [`${digits(failed)} failed for good`] : []),
  ].join(", ");
}
