import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from "fastify";
import { present } from "../../../base/invariant.js";
import type { Extension } from "../../http/extension.js";
import { callerOf } from "../../http/roles.js";
import type { Role } from "../../people/api-keys.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { findVersion } from "../../subgraphs/versions.js";
import { endFeeds } from "../../webhooks/begin.js";
import { createWebhook, storageOf } from "../../webhooks/create-webhook.js";
import { listDeliveries, sendAgain, wakeSenders } from "../../webhooks/outbox.js";
import { readNewWebhook } from "../../webhooks/read-new-webhook.js";
import {
  deleteWebhook,
  findWebhook,
  listWebhooks,
  setWebhookPaused,
  type Webhook,
} from "../../webhooks/webhooks.js";
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
    listWebhooks: async ({ request }) => {
      const { project } = callerOf(request);
      return { data: (await listWebhooks(database, project)).map(shownWebhook) };
    },
    createWebhook: async ({ body, request }) => {
      const { project } = callerOf(request);
      const asked = readNewWebhook(present(body, "a new webhook has a body"));
      const { id, name, secret } = await createWebhook(platform, project, asked);
      return { data: { id, name, webhook_secret: secret } };
    },
    deleteWebhook: async ({ path, request }) => {
      const { project } = callerOf(request);
      await forget(platform, await wanted(platform, project, path.name));
      return undefined;
    },
  });

  app.get(`${extensions}/:name`, as("Viewer", describedRead), async (request) => {
    const { project } = callerOf(request);
    return { data: shownWebhookState(await wanted(platform, project, nameIn(request))) };
  });

  for (const [verb, isPaused, description] of [
    ["pause", true, describedPause],
    ["resume", false, describedResume],
  ] as const) {
    app.put(`${extensions}/:name/${verb}`, as("Editor", description), async (request) => {
      const { project } = callerOf(request);
      const { name } = await wanted(platform, project, nameIn(request));
      await setWebhookPaused(database, project, name, isPaused);
      await wakeSenders(database);
      return { data: shownWebhookState(await wanted(platform, project, name)) };
    });
  }

  app.get(`${extensions}/:name/deliveries`, as("Viewer", describedDeliveries), async (request) => {
    const { project } = callerOf(request);
    const query = readDeliveryQuery(request.query);
    const webhook = await wanted(platform, project, nameIn(request));
    const found = await listDeliveries(database, webhook.id, { ...query, limit: query.limit + 1 });
    const page = found.slice(0, query.limit);
    const next = found.length > page.length ? (page.at(-1)?.seq ?? null) : null;
    return {
      data: page.map((delivery) => shownDelivery(webhook, delivery)),
      pagination: { next_page_token: next, page_size: query.limit },
    };
  });

  app.post(`${extensions}/deliveries/:id/redeliver`, as("Editor", describedRedelivery), async (request) => {
    const { project } = callerOf(request);
    const { id } = request.params as { readonly id: string };
    const isId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id);
    if (!isId || !(await sendAgain(database, project, id))) {
      throw new Problem(
        "not-found",
        "There is no such event any more: the last thousand of a webhook are kept.",
      );
    }
    return { data: { id: id.toLowerCase(), status: "pending" } };
  });
}

function nameIn({ params }: FastifyRequest): string {
  return (params as { readonly name: string }).name;
}

async function wanted({ database }: Platform, project: string, name: string): Promise<Webhook> {
  // The database has no texts with this character.
  const webhook = name.includes("\0") ? undefined : await findWebhook(database, project, name);
  if (!webhook) throw new Problem("webhook-not-found", `The project has no webhook ${name}.`);
  return webhook;
}

/** First nobody reads for it any more: otherwise what nobody reads would stay for good. */
async function forget(platform: Platform, webhook: Webhook): Promise<void> {
  const { project, subgraph: name, version } = webhook;
  const found = await findVersion(platform.database, { project, name, version });
  const storage = found && (await storageOf(platform, found));
  if (storage) await endFeeds(storage, webhook);
  await deleteWebhook(platform.database, project, webhook.name);
}
