import { rangeOf, spanOf } from "../../figures/ranges.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { engineOf } from "../../subgraphs/find-subgraph.js";
import {
  pauseWebhook,
  readDeliveries,
  redeliver,
  redeliverFailed,
  removeWebhook,
  requireWebhookOf,
  showDelivery,
} from "../../webhooks/manage-webhooks.js";
import { countDeliveries, deliveryStatuses, oldestPending } from "../../webhooks/outbox.js";
import { readOutcomes } from "../../webhooks/outcome-figures.js";
import { pageOf } from "../addresses.js";
import { createKept } from "../kept-for.js";
import type { DeliveryHistory } from "./delivery-chart.js";
import { deliveryPage } from "./delivery-page.js";
import type { ReadLastAttempts } from "./last-attempts.js";
import type { TabScope } from "./tab-scope.js";
import { addWebhookForms, webhookSecrets } from "./webhook-form-routes.js";
import { webhookPage } from "./webhook-page.js";
import { webhookAddress } from "./webhook-parts.js";

const shownDeliveries = 50;

/** Adds the pages of single webhooks and their deliveries, and the forms that change them. */
export function addWebhookPages(tabs: TabScope, platform: Platform, attemptsOf: ReadLastAttempts): void {
  const { database, hosting, world } = platform;
  const kept = createKept<DeliveryHistory>(world);
  addWebhookForms(tabs, platform);

  tabs.get("webhooks", "/:webhook", async (visit) => {
    const { caller, path, query, entry, base, mayChange } = visit;
    const webhook = await requireWebhookOf(database, caller, entry, path.webhook ?? "");
    const own = webhookAddress(base, webhook);
    const before = query.get("before") ?? "";
    const status = deliveryStatuses.find((each) => each === query.get("status"));
    const { deliveries, next } = await readDeliveries(database, webhook, {
      limit: shownDeliveries,
      ...(status && { status }),
      ...(/^\d{1,18}$/.test(before) && { before }),
    });
    const secret = await webhookSecrets(platform, own).take(visit);
    const range = rangeOf(query.get("range"));
    const history = await kept([webhook.project, webhook.id, range.name].join("\n"), async (now) => {
      const span = spanOf(range, now);
      return { range, span, figures: await readOutcomes(database, webhook, span) };
    });
    const body = webhookPage(webhook, deliveries, {
      ...{ base, mayChange, status, secret, history },
      counts: (await countDeliveries(database, [webhook.id])).get(webhook.id) ?? {},
      oldest: await oldestPending(database, webhook.id),
      last: (await attemptsOf([webhook])).get(webhook.id),
      feedless: engineOf(hosting, entry.engine)?.feedless,
      ...(next !== undefined && { next }),
    });
    // A renewal would take away the secret, which is shown once.
    return { part: webhook.name, body, isLive: before === "" && secret === undefined };
  });

  tabs.get("webhooks", "/:webhook/deliveries/:id", async ({ caller, path, entry, base, mayChange }) => {
    const webhook = await requireWebhookOf(database, caller, entry, path.webhook ?? "");
    const delivery = await showDelivery(database, webhook, path.id ?? "");
    const own = webhookAddress(base, webhook);
    return { part: `${webhook.name}, delivery`, body: deliveryPage(delivery, own, mayChange), isLive: true };
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
  tabs.post("webhooks/:webhook/delete", async ({ caller, path, form }, named) => {
    const { name } = await requireWebhookOf(database, caller, named, path.webhook ?? "");
    if (form.get("name") !== name)
      throw new Problem("bad-request", `Nothing was deleted, because the form does not name ${name}.`);
    await removeWebhook(platform, caller, name);
    return `${pageOf(named)}/webhooks`;
  });
  tabs.post("webhooks/:webhook/again", async ({ caller, path, form }, named) => {
    const webhook = await requireWebhookOf(database, caller, named, path.webhook ?? "");
    await redeliver(database, caller, form.get("id") ?? "");
    return webhookAddress(pageOf(named), webhook);
  });
  tabs.post("webhooks/:webhook/failed-again", async ({ caller, path }, named) => {
    const webhook = await requireWebhookOf(database, caller, named, path.webhook ?? "");
    await redeliverFailed(database, caller, webhook.name);
    return webhookAddress(pageOf(named), webhook);
  });
}
