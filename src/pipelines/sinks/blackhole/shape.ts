import type { Shape } from "../../definition/shape.js";
import { everySink } from "../../definition/sink-settings.js";

/** Settings of a sink of type blackhole. */
export const blackholeShape = { ...everySink } as const satisfies Shape;

export type BlackholeShape = typeof blackholeShape;
