import type { PlannedTransform } from "../plan/pipeline-plan.js";
import type { RowTransform } from "../transforms/row-transform.js";

/** A transform that is not SQL. */
export interface Stage {
  readonly planned: PlannedTransform;
  readonly transform: RowTransform;
}
