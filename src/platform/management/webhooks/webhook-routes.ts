import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from "fastify";
import { present } from "../../../base/invariant.js";
import type { Extension } from "../../http/extension.js";
import { sentenceOf, unkeepable } from "../../http/json-bodies.js";
import { callerOf } from "../../http/roles.js";
import type { Role } from "../../people/api-keys.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { createWebhook } from "../../webhooks/create-webhook.js";
import {
  pauseWebhook,
  readDeliveries,
  redeliver,
  removeWebhook,
  requireWebhook,
} from "../../webhooks/manage-webhooks.js";
import { readNewWebhook } from "../../webhooks/read-new-webhook.js";
import { listWebhooks } from "../../webhooks/webhooks.js";
import { addOperations } from "../operations.js";
import {
  describedDeliveries,
  describedPause,
  describedRead,
  describedRedelivery,
  describedResume,
} from "./described-extensions.js";
import { readDeliveryQuery, shownDelivery, shownWebhook, shownWebhookState } from "./webhook-answers.js";

/** What the management API does not have. */
const extensions = "/api/v1/extensions/webhooks";

/** The routes of webhooks: those of the management API, and extensions to see and steer deliveries. */
export function webhookRoutes(app: FastifyInstance, platform: Platform): void {
  const { database } = platform;
  const as = (role: Role, extension: Extension): { readonly config: FastifyContextConfig } => ({
    config: { role, extension },
  });

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

  app.get(`${extensions}/:name`, as("Viewer", describedRead), async (request) => ({
    data: shownWebhookState(await requireWebhook(database, callerOf(request), nameIn(request))),
  }));

  for (const [verb, isPaused, description] of [
    ["pause", true, describedPause],
    ["resume", false, describedResume],
  ] as const) {
    app.put(`${extensions}/:name/${verb}`, as("Editor", description), async (request) => ({
      data: shownWebhookState(await pauseWebhook(database, callerOf(request), nameIn(request), isPaused)),
    }));
  }

  app.get(`${extensions}/:name/deliveries`, as("Viewer", describedDeliveries), async (request) => {
    const query = readDeliveryQuery(request.query);
    const webhook = await requireWebhook(database, callerOf(request), nameIn(request));
    const { deliveries, next = null } = await readDeliveries(database, webhook, query);
    return {
      data: deliveries.map((delivery) => shownDelivery(webhook, delivery)),
      pagination: { next_page_token: next, page_size: query.limit },
    };
  });

  app.post(`${extensions}/deliveries/:id/redeliver`, as("Editor", describedRedelivery), async (request) => {
    const { id } = request.params as { readonly id: string };
    return { data: { id: await redeliver(database, callerOf(request), id), status: "pending" } };
  });
}

function nameIn({ params }: FastifyRequest): string {
  const { name } = params as { readonly name: string };
  const errors = unkeepable({ name });
  if (errors.length > 0) throw new Problem("bad-request", sentenceOf("path", errors), { errors });
  return name;
}
