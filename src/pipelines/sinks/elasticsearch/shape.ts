import { primaryKey, secret } from "../../definition/node-settings.js";
import type { Shape } from "../../definition/shape.js";
import { everySink } from "../../definition/sink-settings.js";

/** Settings of a sink of type elasticsearch. */
export const elasticsearchShape = {
  ...everySink,
  index: { type: "string", required: true, describe: "the index" },
  primary_key: primaryKey,
  secret_name: { ...secret, required: true },
} as const satisfies Shape;

export type ElasticsearchShape = typeof elasticsearchShape;
