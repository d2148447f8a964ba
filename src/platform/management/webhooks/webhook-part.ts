import type { FastifyBaseLogger } from "fastify";
import type { Platform } from "../../platform.js";
import type { RunningPart } from "../../server-part.js";
import { createWebhookSender } from "../../webhooks/sender.js";
import { webhookRoutes } from "./webhook-routes.js";

/**
 * The server part for webhooks: their routes and their sender.
 * @param log receives failures that are retried
 */
export async function webhookPart(platform: Platform, log?: FastifyBaseLogger): Promise<RunningPart> {
  const sender = createWebhookSender(platform, { report: (what, error) => log?.warn({ err: error }, what) });
  await sender.start();
  return { routes: webhookRoutes, close: () => sender.stop() };
}
