import type { Shape } from "../../definition/shape.js";
import { everySink } from "../../definition/sink-settings.js";

/** Settings of a sink of type print. */
export const printShape = {
  ...everySink,
  format: {
    type: "string",
    values: ["table", "json"],
    describe:
      "rows in columns, or a JSON object for each row; by default columns on a terminal, and JSON elsewhere",
  },
} as const satisfies Shape;

export type PrintShape = typeof printShape;
