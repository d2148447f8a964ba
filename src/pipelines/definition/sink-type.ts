import type { Setting, Shape } from "./shape.js";
import type { everySink } from "./sink-settings.js";

/** A type of sinks, as far as a definition names it. */
export interface DefinedSinkType {
  /** What a definition calls it. */
  readonly name: string;
  /** Other names for the type. */
  readonly aliases?: readonly string[];
  /** Its settings, with those of every sink. */
  readonly shape: Shape & Readonly<Record<keyof typeof everySink, Setting>>;
}
