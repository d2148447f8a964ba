import type { Shape } from "../../definition/shape.js";
import { everySink, tableSettings } from "../../definition/sink-settings.js";

export const postgresShape = {
  ...everySink,
  ...tableSettings,
} as const satisfies Shape;

export type PostgresShape = typeof postgresShape;
