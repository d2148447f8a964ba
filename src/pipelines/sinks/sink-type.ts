import type { Shape } from "../definition/shape.js";
import type { PlannedSinkType } from "../plan/planned-sink-type.js";
import type { AuditSink } from "./audit.js";
import type { OpenSink, ReadParked, ResetSink } from "./opening.js";

/**
 * A type of sinks: all that the rest of the program knows about it. Its module is loaded with every definition, so it
 * imports no client and no engine, and `load` brings the code that writes.
 */
export interface SinkType<S extends Shape = Shape> extends PlannedSinkType<S> {
  /** Whether its columns stay as they were made, so that it cannot continue with others. */
  readonly hasFixedColumns?: true;
  load(): Promise<SinkAccess<S>>;
}

/** How a sink of a type is reached. */
export interface SinkAccess<S extends Shape> {
  readonly open: OpenSink<S>;
  /** Absent if it keeps no ledger, so that it cannot be audited. */
  readonly audit?: AuditSink<S>;
  /** Absent if it cannot be emptied. */
  readonly reset?: ResetSink<S>;
  /** Absent if it keeps no rows aside. */
  readonly parked?: ReadParked<S>;
}

/** Describes a type of sinks with the settings of its shape. */
export function sinkType<S extends SinkType["shape"]>(type: SinkType<S> & { readonly shape: S }): SinkType {
  // A sink comes to its own type only, and with the settings that were read by its shape.
  return type as unknown as SinkType;
}
