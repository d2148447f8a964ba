import { type Html, html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { engineOf } from "../../subgraphs/find-subgraph.js";
import { listWebhooks, type Webhook } from "../../webhooks/webhooks.js";
import { pageOf } from "../addresses.js";
import { wideTable } from "../parts.js";
import type { TabScope } from "./tab-scope.js";
import { hostOf, webhookAddress, webhookState } from "./webhook-page.js";

/** Adds the tab with the webhooks of a version; of a tag, those of the version that it points to. */
export function addWebhooksTab(tabs: TabScope, { database, hosting }: Platform): void {
  tabs.get("webhooks", "", async ({ entry }) => {
    const { project, name, version, target = version } = entry;
    const all = await listWebhooks(database, project);
    const shown = all.filter((webhook) => webhook.subgraph === name && webhook.version === target);
    const { feedless } = engineOf(hosting, entry.engine) ?? {};
    return { body: webhookList(shown, pageOf({ name, version: target }), feedless), isLive: true };
  });
}

/** @param feedless why webhooks cannot work for this version, as the end of a sentence */
function webhookList(webhooks: readonly Webhook[], base: string, feedless: string | undefined): Html {
  const none =
    feedless !== undefined && html`<p class="soft">Webhooks are unavailable: this subgraph ${feedless}.</p>`;
  if (webhooks.length === 0) return none || html`<p class="soft">There are no webhooks.</p>`;
  const rows = webhooks.map(
    (webhook) => html`<tr><td><a href="${webhookAddress(base, webhook)}">${webhook.name}</a></td>
<td>${webhook.entity}</td><td>${webhookState(webhook, feedless)}</td><td class="cell">${hostOf(webhook.url)}</td></tr>`,
  );
  const head = ["Webhook", "Entity", "State", "Sent to"].map((text) => html`<th scope="col">${text}</th>`);
  return html`${none}${wideTable(head, rows, "Webhooks")}`;
}
