import type { Report } from "../../compiler/diagnostics/report.js";
import type { RowColumn } from "../changes/schema.js";
import type { SinkDefinitionOf } from "../definition/definition.js";
import type { Shape } from "../definition/shape.js";
import type { DefinedSinkType } from "../definition/sink-type.js";
import type { PlannedSink } from "./pipeline-plan.js";

/**
 * What a sink leaves behind, which decides what can be done with it:
 * - `table`: rows that change together with the position, in one transaction. They can be kept aside, and cannot be
 *   written twice without a key
 * - `versions`: rows of a table that a later version replaces
 * - `documents`: rows by key, in a place that also holds others
 * - `messages`: what was sent, and cannot be taken back
 * - `topic`: messages in order, which hold the position
 * - `files`: files that are written once, to which rows are only added
 * - `nothing`: it keeps no position either
 */
export type SinkPlace = "table" | "versions" | "documents" | "messages" | "topic" | "files" | "nothing";

/** Types that a definition can choose for columns. */
export interface ColumnTypes {
  readonly isType: (text: string) => boolean;
  /** Some of them, as part of a sentence. */
  readonly examples: string;
}

/** A type of sinks, as far as it is planned. */
export interface PlannedSinkType<S extends Shape = Shape> extends DefinedSinkType {
  readonly place: SinkPlace;
  /** The types that `schema_override` can name, if it has that setting. */
  readonly columnTypes?: ColumnTypes;
  /** Reports what only this type cannot take, and plans what only this type has. */
  check?(
    definition: SinkDefinitionOf<S>,
    columns: readonly RowColumn[],
    report: Report,
  ): Pick<PlannedSink, "aggregation"> | undefined;
}
