import type { FastifyBaseLogger } from "fastify";
import type { Platform } from "../../platform.js";
import type { RunningPart } from "../../server-part.js";
import { createWebhookSender } from "../../webhooks/sender.js";
import { webhookRoutes } from "./webhook-routes.js";

/**
 * Webhooks as a part of a server: their routes, and what sends them.
 * @param log hears of what went wrong and is tried again
 */
export async function webhookPart(platform: Platform, log?: FastifyBaseLogger): Promise<RunningPart> {
  const sender = createWebhookSender(platform, { report: (what, error) => log?.warn({ err: error }, what) });
  await sender.start();
  return { routes: webhookRoutes, close: () => sender.stop() };
}
