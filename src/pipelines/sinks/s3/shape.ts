import { secret } from "../../definition/node-settings.js";
import type { Shape } from "../../definition/shape.js";
import { everySink, fileParts } from "../../definition/sink-settings.js";

/** Settings of a sink of type s3_sink. */
export const s3Shape = {
  ...everySink,
  endpoint: { type: "string", required: true, describe: "the address of the service" },
  bucket: { type: "string", required: true, describe: "the bucket, which must exist" },
  prefix: { type: "string", default: "", describe: "what the names of objects begin with" },
  region: {
    type: "string",
    describe: "the region that requests are signed for; that of the secret, or us-east-1",
  },
  address_style: {
    type: "string",
    values: ["path", "virtual"],
    default: "path",
    describe: "whether addresses have the bucket in their path, or at the beginning of their host",
  },
  secret_name: { ...secret, required: true },
  ...fileParts,
} as const satisfies Shape;

export type S3Shape = typeof s3Shape;
