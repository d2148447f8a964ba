import type { Platform } from "../../platform.js";
import { engineOf } from "../../subgraphs/find-subgraph.js";
import { pauseWebhook, readDeliveries, redeliver, requireWebhookOf } from "../../webhooks/manage-webhooks.js";
import { countPending } from "../../webhooks/outbox.js";
import { pageOf } from "../addresses.js";
import type { TabScope } from "./tab-scope.js";
import { webhookAddress, webhookPage } from "./webhook-page.js";

const shownDeliveries = 50;

/** Adds the pages of single webhooks. */
export function addWebhookPages(tabs: TabScope, { database, hosting }: Platform): void {
  tabs.get("webhooks", "/:webhook", async ({ caller, path, query, entry, base, mayChange }) => {
    const webhook = await requireWebhookOf(database, caller, entry, path.webhook ?? "");
    const before = query.get("before") ?? "";
    const { deliveries, next } = await readDeliveries(database, webhook, {
      limit: shownDeliveries,
      ...(/^\d{1,18}$/.test(before) && { before }),
    });
    const body = webhookPage(webhook, deliveries, {
      base,
      mayChange,
      pending: await countPending(database, webhook.id),
      feedless: engineOf(hosting, entry.engine)?.feedless,
      ...(next !== undefined && { older: `?before=${next}` }),
    });
    return { part: webhook.name, body, isLive: before === "" };
  });

  for (const [action, isPaused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    tabs.post(`webhooks/:webhook/${action}`, async ({ caller, path }, named) => {
      const { name } = await requireWebhookOf(database, caller, named, path.webhook ?? "");
      return webhookAddress(pageOf(named), await pauseWebhook(database, caller, name, isPaused));
    });
  }
  tabs.post("webhooks/:webhook/again", async ({ caller, path, form }, named) => {
    const webhook = await requireWebhookOf(database, caller, named, path.webhook ?? "");
    await redeliver(database, caller, form.get("id") ?? "");
    return webhookAddress(pageOf(named), webhook);
  });
}
