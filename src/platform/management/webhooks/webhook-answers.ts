import type { Webhook as ShownWebhook } from "../../../api/contract.js";
import type { Delivery, WholeDelivery } from "../../webhooks/outbox.js";
import { isDown, type Webhook } from "../../webhooks/webhooks.js";

/** A webhook as the management API shows it. */
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

/** Extension: the webhook with its settings and the state of its receiver. */
export function shownWebhookState(webhook: Webhook): object {
  const { retries, retryInterval, timeout, isPaused, failures, restsUntil } = webhook;
  return {
    ...shownWebhook(webhook),
    num_retries: retries,
    retry_interval_seconds: retryInterval,
    retry_timeout_seconds: timeout,
    status: isPaused ? "PAUSED" : isDown(webhook) ? "RECEIVER_DOWN" : "ACTIVE",
    failures_in_a_row: failures,
    next_attempt_at: restsUntil?.toISOString() ?? null,
  };
}

/** Extension: an event and the result of its delivery. */
export function shownDelivery({ retries, entity }: Webhook, delivery: Delivery): object {
  const { id, op, block, entityId, vid, status, attempts, answerStatus, error, duration } = delivery;
  return {
    id,
    op,
    entity,
    entity_id: entityId,
    vid,
    block,
    status,
    attempts,
    max_retries: retries,
    response_status: answerStatus,
    error,
    duration_ms: duration,
    created_at: delivery.createdAt.toISOString(),
    attempted_at: delivery.attemptedAt?.toISOString() ?? null,
    next_attempt_at: delivery.dueAt?.toISOString() ?? null,
  };
}

/** Extension: an event with its rows, the result of its delivery, and the receiver's answer. */
export function shownWholeDelivery(webhook: Webhook, delivery: WholeDelivery): object {
  const row = (json: string | null): unknown => (json === null ? null : JSON.parse(json));
  return {
    ...shownDelivery(webhook, delivery),
    old: row(delivery.old),
    new: row(delivery.new),
    response_body: delivery.answerBody,
  };
}
