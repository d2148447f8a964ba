import { secret } from "../../definition/node-settings.js";
import type { Shape } from "../../definition/shape.js";
import { everySink } from "../../definition/sink-settings.js";

/** Settings of a sink of type sqs_sink. */
export const sqsShape = {
  ...everySink,
  queue_url: { type: "string", required: true, describe: "the address of the queue" },
  region: { type: "string", describe: "the region of the queue" },
  secret_name: { ...secret, required: true },
} as const satisfies Shape;

export type SqsShape = typeof sqsShape;
