import type { AuditSink } from "../audit.js";
import { auditFolder } from "../file/audit-file.js";
import { prefixOptions } from "./open-s3.js";
import type { S3Shape } from "./shape.js";

/** Opens the objects of a bucket for an audit. @throws SinkError */
export const auditS3: AuditSink<S3Shape> = async (planned, owner, world, options, work) =>
  auditFolder({ ...prefixOptions(planned, owner, world), key: planned.schema.key }, options, work);
