import type { Shape } from "../../definition/shape.js";
import { everySink, fileParts, sharedSettings } from "../../definition/sink-settings.js";

/** Settings of a sink of type file. */
export const fileShape = {
  ...everySink,
  path: { type: "string", required: true, describe: "the folder that the files are written to" },
  format: { type: "string", values: ["parquet"], default: "parquet", describe: "the format of the files" },
  ...fileParts,
  schema_override: sharedSettings.schema_override,
} as const satisfies Shape;

export type FileShape = typeof fileShape;
