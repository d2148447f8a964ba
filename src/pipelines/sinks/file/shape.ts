import { override } from "../../definition/node-settings.js";
import type { Shape } from "../../definition/shape.js";
import { everySink, fileParts } from "../../definition/sink-settings.js";

/** Settings of a sink of type file. */
export const fileShape = {
  ...everySink,
  path: { type: "string", required: true, describe: "the folder that the files are written to" },
  format: { type: "string", values: ["parquet"], default: "parquet", describe: "the format of the files" },
  ...fileParts,
  schema_override: override,
} as const satisfies Shape;

export type FileShape = typeof fileShape;
