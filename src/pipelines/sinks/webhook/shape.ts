import { headers, secret } from "../../definition/node-settings.js";
import type { Shape } from "../../definition/shape.js";
import { everySink } from "../../definition/sink-settings.js";

/** Settings of a sink of type webhook. */
export const webhookShape = {
  ...everySink,
  url: { type: "string", required: true, describe: "the address that rows are posted to" },
  headers,
  one_row_per_request: { type: "boolean", default: false, describe: "post one row instead of a list" },
  secret_name: { ...secret, describe: "the name of an httpauth secret, whose header is sent" },
} as const satisfies Shape;

export type WebhookShape = typeof webhookShape;
