import type { FastifyInstance } from "fastify";
import { present } from "../../../base/invariant.js";
import { addExtension } from "../../http/add-extension.js";
import { callerOf } from "../../http/roles.js";
import type { Platform } from "../../platform.js";
import { changeWebhook } from "../../webhooks/change-webhook.js";
import { createWebhook } from "../../webhooks/create-webhook.js";
import {
  pauseWebhook,
  readDeliveries,
  redeliver,
  redeliverFailed,
  removeWebhook,
  requireWebhook,
  showDelivery,
} from "../../webhooks/manage-webhooks.js";
import { readNewWebhook, readWebhookChange } from "../../webhooks/read-new-webhook.js";
import { listWebhooks } from "../../webhooks/webhooks.js";
import { addOperations } from "../operations.js";
import {
  describedChange,
  describedDeliveries,
  describedDelivery,
  describedPause,
  describedRead,
  describedRedelivery,
  describedRedeliveryOfFailed,
  describedResume,
} from "./described-extensions.js";
import { shownDelivery, shownWebhook, shownWebhookState, shownWholeDelivery } from "./webhook-answers.js";

/** The default number of deliveries per page. */
const usualPage = 50;

/** The routes of webhooks: those of the management API, and extensions to view and control deliveries. */
export function webhookRoutes(app: FastifyInstance, platform: Platform): void {
  const { database } = platform;

  addOperations(app, {
    listWebhooks: async ({ request }) => ({
      data: (await listWebhooks(database, callerOf(request).project)).map(shownWebhook),
    }),
    createWebhook: async ({ body, request }) => {
      const asked = readNewWebhook(present(body, "a new webhook has a body"));
      const { id, name, secret } = await createWebhook(platform, callerOf(request), asked);
      return { data: { id, name, webhook_secret: secret } };
    },
    deleteWebhook: async ({ path, request }) => {
      await removeWebhook(platform, callerOf(request), path.name);
      return undefined;
    },
  });

  addExtension(app, describedRead, { role: "Viewer" }, async ({ path: { name = "" }, request }) => ({
    data: shownWebhookState(await requireWebhook(database, callerOf(request), name)),
  }));

  addExtension(app, describedChange, { role: "Editor" }, async ({ path: { name = "" }, body, request }) => ({
    data: shownWebhookState(await changeWebhook(platform, callerOf(request), name, readWebhookChange(body))),
  }));

  for (const [described, isPaused] of [
    [describedPause, true],
    [describedResume, false],
  ] as const) {
    addExtension(app, described, { role: "Editor" }, async ({ path: { name = "" }, request }) => ({
      data: shownWebhookState(await pauseWebhook(database, callerOf(request), name, isPaused)),
    }));
  }

  addExtension(
    app,
    describedDeliveries,
    { role: "Viewer" },
    async ({ path: { name = "" }, query, request }) => {
      const { status, page_size: limit = usualPage, page_token: before } = query;
      const webhook = await requireWebhook(database, callerOf(request), name);
      const { deliveries, next = null } = await readDeliveries(database, webhook, { status, before, limit });
      return {
        data: deliveries.map((delivery) => shownDelivery(webhook, delivery)),
        pagination: { next_page_token: next, page_size: limit },
      };
    },
  );

  addExtension(
    app,
    describedDelivery,
    { role: "Viewer" },
    async ({ path: { name = "", id = "" }, request }) => {
      const webhook = await requireWebhook(database, callerOf(request), name);
      return { data: shownWholeDelivery(webhook, await showDelivery(database, webhook, id)) };
    },
  );

  addExtension(
    app,
    describedRedeliveryOfFailed,
    { role: "Editor" },
    async ({ path: { name = "" }, request }) => ({
      data: { events: await redeliverFailed(database, callerOf(request), name) },
    }),
  );

  addExtension(app, describedRedelivery, { role: "Editor" }, async ({ path: { id = "" }, request }) => ({
    data: { id: await redeliver(database, callerOf(request), id), status: "pending" },
  }));
}
