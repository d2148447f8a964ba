import type { AuditSink } from "../audit.js";
import { auditDelivery } from "../delivery/audit-delivery.js";
import { sqsDelivery } from "./open-sqs.js";

/** Opens the state of a queue for an audit. @throws SinkError */
export const auditSqs: AuditSink<"sqs_sink"> = async (planned, owner, world, options, work) =>
  auditDelivery(sqsDelivery(planned, owner, world), world, options, work);
