import type { Webhook as ShownWebhook } from "../../../api/contract.js";
import { isRecord } from "../../../base/json-value.js";
import { type FieldError, Problem } from "../../problem.js";
import {
  type Delivery,
  type DeliveryPage,
  type DeliveryStatus,
  deliveryStatuses,
} from "../../webhooks/outbox.js";
import type { Webhook } from "../../webhooks/webhooks.js";

/** A webhook as the management API tells of it. */
export function shownWebhook({ id, name, url, entity, subgraph, version, createdAt }: Webhook): ShownWebhook {
  return {
    id,
    name,
    webhook_url: url,
    entity,
    subgraph_name: subgraph,
    subgraph_version: version,
    created_at: createdAt.toISOString(),
  };
}

/** Extension: the same with its settings, and how its receiver is doing. */
export function shownWebhookState(webhook: Webhook): object {
  const { retries, retryInterval, timeout, isPaused, failures, restsUntil } = webhook;
  return {
    ...shownWebhook(webhook),
    num_retries: retries,
    retry_interval_seconds: retryInterval,
    retry_timeout_seconds: timeout,
    status: isPaused ? "PAUSED" : restsUntil ? "RECEIVER_DOWN" : "ACTIVE",
    failures_in_a_row: failures,
    next_attempt_at: restsUntil?.toISOString() ?? null,
  };
}

/** Extension: an event and how its delivery went. */
export function shownDelivery({ retries, entity }: Webhook, delivery: Delivery): object {
  const { id, op, block, entityId, vid, status, attempts, answerStatus, error, duration } = delivery;
  return {
    ...{ id, op, entity, entity_id: entityId, vid, block, status, attempts },
    max_retries: retries,
    response_status: answerStatus,
    error,
    duration_ms: duration,
    created_at: delivery.createdAt.toISOString(),
    attempted_at: delivery.attemptedAt?.toISOString() ?? null,
    next_attempt_at: delivery.dueAt?.toISOString() ?? null,
  };
}

const mostOnPage = 200;
const usualPage = 50;

/** Reads which deliveries are asked for. @throws Problem that names the parameters that are wrong */
export function readDeliveryQuery(query: unknown): DeliveryPage {
  const { status, page_size: size = String(usualPage), page_token: before } = isRecord(query) ? query : {};
  const errors: FieldError[] = [];
  const known: DeliveryStatus | undefined = deliveryStatuses.find((each) => each === status);
  if (status !== undefined && !known) {
    errors.push({ field: "status", message: `must be one of ${deliveryStatuses.join(", ")}` });
  }
  const limit = typeof size === "string" && /^\d{1,3}$/.test(size) ? Number(size) : 0;
  if (limit < 1 || limit > mostOnPage) {
    errors.push({ field: "page_size", message: `must be a whole number from 1 to ${mostOnPage}` });
  }
  const isToken = before === undefined || (typeof before === "string" && /^\d{1,18}$/.test(before));
  if (!isToken) errors.push({ field: "page_token", message: "must be what an earlier page ended with" });
  if (errors.length > 0)
    throw new Problem("bad-request", "These deliveries cannot be asked for.", { errors });
  return { ...(known && { status: known }), ...(typeof before === "string" && { before }), limit };
}
