import type { Shape } from "../../definition/shape.js";
import { everySink, tableSettings } from "../../definition/sink-settings.js";

const { secret_name: _, ...table } = tableSettings;

/** Settings of a sink of type duckdb. */
export const duckdbShape = {
  ...everySink,
  path: {
    type: "string",
    required: true,
    describe: "the database file, which is created if it does not exist",
  },
  ...table,
  schema: { ...table.schema, default: "main" },
} as const satisfies Shape;

export type DuckDbShape = typeof duckdbShape;
