import type { Shape } from "../../definition/shape.js";
import { everySink, tableSettings } from "../../definition/sink-settings.js";

/** Settings of a sink of type postgres. */
export const postgresShape = {
  ...everySink,
  ...tableSettings,
} as const satisfies Shape;

export type PostgresShape = typeof postgresShape;
