import type { AuditSink } from "../audit.js";
import { auditDelivery } from "../delivery/audit-delivery.js";
import { sqsDelivery } from "./open-sqs.js";
import type { SqsShape } from "./shape.js";

/** Opens the state of a queue for an audit. @throws SinkError */
export const auditSqs: AuditSink<SqsShape> = async (planned, owner, world, options, work) =>
  auditDelivery(sqsDelivery(planned, owner, world), world, options, work);
