import { PipelineError } from "../changes/pipeline-error.js";
import type { Rows } from "../changes/rows.js";

/** A transform that computes rows outside of SQL. */
export interface RowTransform {
  /**
   * Transforms rows. Each resulting row comes from a single input row.
   * @param rows at least one, with the columns of the transform's input
   * @returns rows with the columns of the transform
   * @throws TransformError
   */
  apply(rows: Rows): Promise<Rows>;
  close(): Promise<void>;
}

/** A transform that cannot compute its rows. */
export class TransformError extends PipelineError {
  override readonly name = "TransformError";
}
