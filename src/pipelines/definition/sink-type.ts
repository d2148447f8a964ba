import type { Setting, Shape } from "./shape.js";
import type { everySink } from "./sink-settings.js";

/** A type of sinks, for reading definitions. */
export interface DefinedSinkType {
  /** Its name in a definition. */
  readonly name: string;
  /** Other names for the type. */
  readonly aliases?: readonly string[];
  /** Its settings, including the settings of every sink. */
  readonly shape: Shape & Readonly<Record<keyof typeof everySink, Setting>>;
}
