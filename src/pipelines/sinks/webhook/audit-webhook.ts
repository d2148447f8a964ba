import type { AuditSink } from "../audit.js";
import { auditDelivery } from "../delivery/audit-delivery.js";
import { webhookDelivery } from "./open-webhook.js";
import type { WebhookShape } from "./shape.js";

/** Opens the state of a webhook for an audit. @throws SinkError */
export const auditWebhook: AuditSink<WebhookShape> = async (planned, owner, world, options, work) =>
  auditDelivery(webhookDelivery(planned, owner, world), world, options, work);
