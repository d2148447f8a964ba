import type { Shape } from "./shape.js";

/** Settings that several nodes have. */
export const description = { type: "string", describe: "what it is for, for people" } as const;
export const from = {
  type: "string",
  required: true,
  describe: "the source or transform whose rows it takes",
} as const;
export const primaryKey = {
  type: "names",
  describe: "columns that identify a row; several are separated by commas",
} as const;
export const secret = {
  type: "string",
  describe: "the name of the secret with the address and the credentials",
} as const;
export const headers = { type: "strings", describe: "HTTP headers of every request, by name" } as const;
export const override = {
  type: "overrides",
  describe: "types by column; null leaves the column out",
} as const;

/** How many rows are written at once, and how long rows wait for others. */
export const batching = {
  batch_size: { type: "count", default: 1_000, describe: "most rows that are written at once" },
  batch_flush_interval: { type: "duration", default: "1s", describe: "longest wait for a full batch" },
} as const satisfies Shape;
