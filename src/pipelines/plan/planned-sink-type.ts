import type { Report } from "../../compiler/diagnostics/report.js";
import type { RowColumn } from "../changes/schema.js";
import type { SinkDefinitionOf } from "../definition/definition.js";
import type { Shape } from "../definition/shape.js";
import type { DefinedSinkType } from "../definition/sink-type.js";
import type { PlannedSink } from "./pipeline-plan.js";

/**
 * The form in which a sink keeps its rows, which determines what is possible:
 * - `table`: rows that change together with the position, in one transaction. They cannot be written twice without
 *   a key
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
  /** Some of them, in a sentence. */
  readonly examples: string;
}

export interface PlannedSinkType<S extends Shape = Shape> extends DefinedSinkType {
  readonly place: SinkPlace;
  /** The types that `schema_override` can name, if it has that setting. */
  readonly columnTypes?: ColumnTypes;
  /** Reports what this type cannot accept, and plans its special parts. */
  check?(
    definition: SinkDefinitionOf<S>,
    columns: readonly RowColumn[],
    report: Report,
  ): Pick<PlannedSink, "aggregation"> | undefined;
}
